/** Sentences of the API, which have names in backticks as Markdown does. */

/** The first sentence, which stands for all of them where there is little room. */
export const firstSentence = (text: string): string => text.split(/(?<=\.) /, 1)[0] as string

export function Prose({ children }: { children: string }) {
  return children.split('`').map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text stay where they are
      <code key={place} className="prose-name">
        {part}
      </code>
    ),
  )
}
