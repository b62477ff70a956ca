declare module "virtual:examples" {
  /** The chapters of the examples menu, made from the test pages when the site is built. */
  const chapters: readonly {
    title: string;
    examples: readonly { title: string; text: string; hasError: boolean }[];
  }[];
  export default chapters;
}

declare module "virtual:operators" {
  /** What the documentation of each operator says, in Markdown. */
  const docs: Record<string, string | undefined>;
  export default docs;
}

declare module "virtual:explanations" {
  /** The Markdown page of each error code. */
  const pages: Record<string, string | undefined>;
  export default pages;
}
