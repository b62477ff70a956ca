// Every definition with the type that was inferred for it, and the type of every top-level expression.
import { show } from "../actions.ts";
import { state } from "../state.ts";
import { TypeText } from "../view/code.tsx";

export function TypesPanel() {
  const { definitions, expressions } = state.checked.value.view;
  if (definitions.length === 0 && expressions.length === 0) {
    return (
      <p class="empty">
        Each definition appears here with the type that was inferred for it. Try <code>let %x = ones(shape=[2, 3]);</code>
      </p>
    );
  }
  const line = state.line.value;
  return (
    <div class="types">
      {definitions.length > 0 && (
        <section>
          <h2>Definitions</h2>
          <ul>
            {definitions.map((definition) => (
              <li>
                <button type="button" aria-current={definition.line === line} onClick={() => show(definition.span)}>
                  <code class="name">{definition.name}</code>
                  <TypeText text={definition.type} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {expressions.length > 0 && (
        <section>
          <h2>Expressions</h2>
          <ul>
            {expressions.map((expression) => (
              <li>
                <button type="button" aria-current={expression.line === line} onClick={() => show(expression.span)}>
                  <span class="name">line {expression.line}</span>
                  <TypeText text={expression.type} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
