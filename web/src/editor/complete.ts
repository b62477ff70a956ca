// What could come next, while somebody types.
import { hover } from "../action/queries.ts";
import { type Offer, refineOffers, relayOffers, scriptOffers } from "../offer/offers.ts";
import { placeAt } from "../offer/scan.ts";
import { language, state } from "../state.ts";
import { fileOf } from "./files.ts";
import { ANY_LANGUAGE, monaco } from "./monaco.ts";

/** Nobody waits longer than this for the types of variables. */
const TYPES_MS = 60;
/** As many variables are asked about, the nearest first. */
const MAX_TYPES = 40;

const { CompletionItemKind } = monaco.languages;

/** What is nearer comes first, where the letters fit equally well. */
const KINDS: Record<Offer["kind"], { kind: monaco.languages.CompletionItemKind; order: number }> = {
  argument: { kind: CompletionItemKind.Property, order: 0 },
  variable: { kind: CompletionItemKind.Variable, order: 1 },
  type: { kind: CompletionItemKind.Class, order: 2 },
  constructor: { kind: CompletionItemKind.EnumMember, order: 3 },
  keyword: { kind: CompletionItemKind.Keyword, order: 4 },
  module: { kind: CompletionItemKind.Module, order: 4 },
  function: { kind: CompletionItemKind.Function, order: 5 },
  library: { kind: CompletionItemKind.Function, order: 7 },
  operator: { kind: CompletionItemKind.Operator, order: 6 },
};

export const OFFERING: monaco.editor.IEditorOptions = {
  quickSuggestions: { other: true, comments: false, strings: false },
  // A word that is complete stays as it is, and the line ends.
  acceptSuggestionOnEnter: "smart",
  acceptSuggestionOnCommitCharacter: false,
  suggest: { showIcons: true, filterGraceful: false, showWords: false },
  suggestLineHeight: 24,
};

export function registerOffers(): void {
  monaco.languages.registerCompletionItemProvider([...ANY_LANGUAGE], {
    triggerCharacters: ["%", "@", "`", ".", ":"],
    async provideCompletionItems(model, position, { triggerCharacter }) {
      const offset = model.getOffsetAt(position);
      const text = model.getValue();
      // A single colon says nothing about what comes.
      if (fileOf(model.uri) !== "user" || (triggerCharacter === ":" && !text.endsWith("::", offset))) return null;
      const place = placeAt(text, offset, language.peek());
      if (place === undefined) return null;
      const { definitions } = state.checked.peek().view;
      const prelude = state.prelude.peek() ?? "";
      const from = model.getPositionAt(place.start);
      const insert = monaco.Range.fromPositions(from, position);
      const replace = monaco.Range.fromPositions(from, model.getPositionAt(place.end));
      const { default: operators } = language.peek() === "relay" ? await import("virtual:operators") : { default: {} };
      const known = { text, definitions, prelude, operators };
      const offers = await withTypes({ relay: relayOffers, refine: refineOffers, tensorscript: scriptOffers }[language.peek()](place, known));
      if (model.isDisposed()) return null;
      const hasSigil = /^[%@`]/.test(place.prefix);
      const suggestions = offers.map((offer, index) => ({
        ...itemOf(model, offer, index, { insert, replace }),
        // A name is found by its letters too; and `=` behind the name of an argument ends it.
        ...(place.prefix !== "" && !hasSigil ? { filterText: offer.name.replace(/^[%@]|=$/g, "") } : {}),
      }));
      return { suggestions };
    },
  });
}

/** With the types of variables where the compiler knows them soon. */
async function withTypes(offers: Offer[]): Promise<Offer[]> {
  const asked = offers.filter(({ at, about }) => at !== undefined && about === "").slice(0, MAX_TYPES);
  if (asked.length === 0) return offers;
  const found = new Map<Offer, string>();
  const asking = asked.map(async (offer) => {
    const code = (await hover("user", offer.at ?? 0))?.code;
    if (code?.startsWith(`${offer.name}: `)) found.set(offer, code.slice(offer.name.length + 2));
  });
  await Promise.race([Promise.all(asking), new Promise((resolve) => setTimeout(resolve, TYPES_MS))]);
  return offers.map((offer) => ({ ...offer, about: found.get(offer) ?? offer.about }));
}

function itemOf(
  model: monaco.editor.ITextModel,
  { name, kind, about, takes, signature, doc, edit }: Offer,
  index: number,
  range: monaco.languages.CompletionItemRanges,
): monaco.languages.CompletionItem {
  const at = edit === undefined ? undefined : model.getPositionAt(edit.at);
  const description = about.replace(/\s+/g, " ").replaceAll("`", "");
  return {
    label: { label: name, ...(description === "" ? {} : { description }), ...(takes === undefined ? {} : { detail: takes }) },
    kind: KINDS[kind].kind,
    insertText: name,
    range,
    sortText: `${KINDS[kind].order}${String(index).padStart(4, "0")}`,
    ...(signature === undefined ? {} : { detail: signature }),
    ...(doc ? { documentation: { value: doc, isTrusted: false, supportHtml: false } } : {}),
    ...(at === undefined || edit === undefined ? {} : { additionalTextEdits: [{ range: monaco.Range.fromPositions(at), text: edit.text }] }),
    // What is named takes a value at once.
    ...(kind === "argument" ? { command: { id: "editor.action.triggerParameterHints", title: "" } } : {}),
  };
}
