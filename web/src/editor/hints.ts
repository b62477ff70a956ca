// What the call around the cursor takes, and which of it is being written.
import { knownSignature, labelOf, LAYERS, operatorSignature, type Signature } from "../offer/known.ts";
import { relayPlace } from "../offer/relay.ts";
import { type Frame, placeAt } from "../offer/scan.ts";
import { scriptPlace } from "../offer/script.ts";
import { firstSentence } from "../sentence.ts";
import { language, state } from "../state.ts";
import { fileOf } from "./files.ts";
import { monaco } from "./monaco.ts";

/** Where no parameter is written, none is marked. */
const NONE = 1000;

export function registerHints(): void {
  monaco.languages.registerSignatureHelpProvider(["relay", "tensorscript"], {
    signatureHelpTriggerCharacters: ["(", ","],
    signatureHelpRetriggerCharacters: ["=", ")"],
    async provideSignatureHelp(model, position) {
      if (fileOf(model.uri) !== "user") return null;
      const found = await callAt(model.getValue(), model.getOffsetAt(position));
      if (found === undefined || model.isDisposed()) return null;
      const { signature, call } = found;
      const label = labelOf(signature);
      let from = signature.name.length + 1;
      const parameters = signature.params.map(({ text }) => {
        const start = from;
        from += text.length + 2;
        return { label: [start, start + text.length] as [number, number] };
      });
      const documentation = { value: firstSentence(signature.doc), isTrusted: false, supportHtml: false };
      const value = { signatures: [{ label, parameters, ...(documentation.value === "" ? {} : { documentation }) }], activeSignature: 0 };
      return { value: { ...value, activeParameter: activeOf(signature, call) }, dispose() {} };
    },
  });
}

/** The innermost call that is open at an offset and of which anything is known. */
async function callAt(text: string, offset: number): Promise<{ signature: Signature; call: Frame } | undefined> {
  const isRelay = language.peek() === "relay";
  const place = placeAt(text, offset, language.peek());
  if (place === undefined) return undefined;
  const { prefix, start, tokens } = place;
  const upTo = prefix === "" ? tokens : [...tokens, { text: prefix, start, end: offset }];
  const { frames } = isRelay ? relayPlace(upTo, text) : scriptPlace(upTo);
  const call = frames.findLast(({ open }) => open === "(" || open === "{");
  if (call?.callee === undefined) return undefined;
  const signature = isRelay ? await relaySignature(call.callee, text) : LAYERS.get(call.callee)?.signature;
  return signature === undefined ? undefined : { signature, call };
}

async function relaySignature(name: string, text: string): Promise<Signature | undefined> {
  const { default: operators } = await import("virtual:operators");
  return operatorSignature(name, operators) ?? knownSignature(name, state.checked.peek().view.definitions, text, state.prelude.peek() ?? "");
}

function activeOf({ params }: Signature, { argument, commas, isPiped }: Frame): number {
  if (argument !== undefined) {
    const named = params.findIndex(({ name }) => name === argument);
    return named < 0 ? NONE : named;
  }
  const placed = commas + (isPiped ? 1 : 0);
  return params[placed]?.isPlaced ? placed : NONE;
}
