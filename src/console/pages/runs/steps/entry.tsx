/** Messages of a conversation. User text is plain, model text is Markdown. */
import { Icon } from '../../../ui/icon.tsx'
import { CopyButton } from '../../../ui/text/code.tsx'
import { Markdown } from '../../../ui/text/markdown.tsx'
import type { Entry, Part } from '../playground/messages.ts'
import { LiveText } from '../run/live-text.tsx'
import type { RunFeed } from '../run/run-feed.ts'

const shownImages = /^image\/(?:png|jpeg|gif|webp)$/

function UserPart({ part }: { part: Part }) {
  if (part.kind === 'text') return <div className="turn-said">{part.text}</div>
  if (part.kind === 'image' && shownImages.test(part.mediaType) && part.data !== '')
    return <img className="turn-image" src={`data:${part.mediaType};base64,${part.data}`} alt="Attached" />
  return (
    <span className="turn-file">
      <Icon name="log" size={14} />
      {part.kind === 'file' ? part.name : 'Image'}
    </span>
  )
}

export const UserEntry = ({ parts }: { parts: Part[] }) => (
  <article className="turn turn-user" aria-label="Prompt">
    {parts.map((part, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a message never change
      <UserPart key={place} part={part} />
    ))}
  </article>
)

type Assistant = Extract<Entry, { is: 'assistant' }>

export function AssistantEntry({ entry, feed }: { entry: Assistant; feed: RunFeed }) {
  const { agentStepId, text, failure, streaming } = entry
  const thoughts = agentStepId === null ? undefined : feed.textOf(agentStepId, 'reasoning')
  return (
    <article className="turn turn-assistant" aria-label="Answer">
      {thoughts && (streaming || thoughts.text !== '') && (
        <details className="thoughts">
          <summary>Reasoning</summary>
          <LiveText text={thoughts} className="turn-said" />
        </details>
      )}
      {streaming && agentStepId !== null ? (
        <LiveText text={feed.textOf(agentStepId, 'text')} className="turn-said turn-said-streaming" />
      ) : (
        text !== '' && (
          <>
            <Markdown text={text} />
            <span className="turn-copy">
              <CopyButton text={text} label="Copy the answer" />
            </span>
          </>
        )
      )}
      {failure && (
        <p className="turn-failure">
          <Icon name="warning" size={14} /> {failure}
        </p>
      )}
    </article>
  )
}
