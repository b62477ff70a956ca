declare module "virtual:examples" {
  /** The chapters of the examples menu, made from the test pages when the site is built. */
  const chapters: readonly {
    title: string;
    examples: readonly { title: string; text: string; hasError: boolean }[];
  }[];
  export default chapters;
}

declare module "virtual:operators" {
  interface Operator {
    args: readonly string[];
    /** Without a default, it must be given. */
    attrs: readonly { name: string; default: string | null }[];
    /** Markdown. */
    doc: string;
  }
  /** Every operator by its name. */
  const operators: Record<string, Operator | undefined>;
  export default operators;
}

declare module "virtual:layers" {
  /** Every layer of TensorScript, and every way in which a weight can begin; without a default, an argument must be given. */
  const layers: readonly { module: string; name: string; params: readonly { name: string; default: string | null }[] }[];
  export default layers;
}

declare module "virtual:explanations" {
  /** The Markdown page of each error code. */
  const pages: Record<string, string | undefined>;
  export default pages;
}
