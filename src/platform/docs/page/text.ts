/** Text as HTML. All text reaches the page through these functions. */

export const escaped = (text: unknown): string => Bun.escapeHTML(String(text))

/** Renders Markdown; HTML in it is shown as text. */
export const markdown = (text: string): string => Bun.markdown.html(text, { noHtmlBlocks: true, noHtmlSpans: true })

/** Inline code. */
export const code = (text: string): string => `<code>${escaped(text)}</code>`

/** A code block, scrollable with the keyboard. */
export const block = (text: string, label: string): string =>
  `<pre tabindex="0" role="region" aria-label="${escaped(label)}"><code>${escaped(text)}</code></pre>`

/** The id of a chapter's heading. */
export const tagId = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`

/** The id of a schema. */
export const schemaId = (name: string): string => `schema-${name}`

/** The id of a shared answer. */
export const answerId = (name: string): string => `answer-${name}`
