/** Text as HTML. Nothing gets into the page but through here. */

/** Text as it is. */
export const escaped = (text: unknown): string => Bun.escapeHTML(String(text))

/** Markdown, with any HTML in it shown as text. */
export const markdown = (text: string): string => Bun.markdown.html(text, { noHtmlBlocks: true, noHtmlSpans: true })

/** Code in a line. */
export const code = (text: string): string => `<code>${escaped(text)}</code>`

/** Code in lines; it can be scrolled with the keyboard. */
export const block = (text: string, label: string): string =>
  `<pre tabindex="0" role="region" aria-label="${escaped(label)}"><code>${escaped(text)}</code></pre>`

/** The id of a chapter's heading. */
export const tagId = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`

/** The id of a schema. */
export const schemaId = (name: string): string => `schema-${name}`

/** The id of an answer that operations share. */
export const answerId = (name: string): string => `answer-${name}`
