/** Sentences of the API, with names in backticks as in Markdown. */

/** The first sentence, as a summary. */
export const firstSentence = (text: string): string => text.split(/(?<=\.) /, 1)[0] as string

export function Prose({ children }: { children: string }) {
  return children.split('`').map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change
      <code key={place} className="prose-name">
        {part}
      </code>
    ),
  )
}
