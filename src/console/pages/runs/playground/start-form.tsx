/** First prompt to an Agent: text, files, optional settings. */
import { useState } from 'react'
import type { ApiFailure } from '../../../api/failure.ts'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import type { Place } from '../../../places.ts'
import { FailureText } from '../../../ui/failure-text.tsx'
import { AttachButton, AttachmentList, DropArea, useAttachments } from './attachments.tsx'
import { Composer } from './composer.tsx'
import { CopyAs } from './copy-as/copy-as.tsx'
import type { Part } from './messages.ts'
import { choicesIn, MoreChoices, noChoices, startLabel } from './more-choices.tsx'
import { useSubmissionKey } from './submission-key.ts'

interface StartFormProps {
  agentId: string
  environmentId: string | undefined
  place: Place
  query: string
  onQuery: (query: string) => void
  onStarted: (runId: string, asked: Part[]) => void
}

export function StartForm({ agentId, environmentId, place, query, onQuery, onStarted }: StartFormProps) {
  const api = useApi()
  const attachments = useAttachments()
  const [choices, setChoices] = useState(noChoices)
  const [problem, setProblem] = useState<string>()
  const files = attachments.chosen.map(({ file }) => file)
  const body = {
    agentId,
    ...(environmentId && { environmentId }),
    ...(query.trim() !== '' && { query }),
    ...choicesIn(choices),
  }
  const start = useAction(
    () => {
      const about = JSON.stringify([body, files.map(({ name, size, lastModified }) => [name, size, lastModified])])
      const options = { headers: { 'idempotency-key': key.keyOf(about) } }
      return api.v1['agent-runs'].post(files.length > 0 ? { ...body, files } : body, options)
    },
    {
      changes: [['runs', 'list']],
      quiet: true,
      done: ({ id }) => {
        key.settle()
        const parts = files.map((file): Part => ({ kind: 'file', name: file.name }))
        onQuery('')
        attachments.clear()
        onStarted(id, query.trim() === '' ? parts : [{ kind: 'text', text: query }, ...parts])
      },
    },
  )
  const key = useSubmissionKey(start.failure)

  function send() {
    if (query.trim() === '' && files.length === 0) return setProblem('Enter a message or attach a file.')
    if (attachments.problem) return undefined
    setProblem(undefined)
    return start.run()
  }
  return (
    <DropArea attachments={attachments}>
      {(problem ?? start.failure) && (
        <div className="banner banner-bad" role="alert">
          {problem ?? (start.failure && <Refusal failure={start.failure} />)}
        </div>
      )}
      <Composer
        needs="agent-runs:create"
        label="Prompt"
        placeholder="Ask a question"
        value={query}
        onChange={(text) => {
          setProblem(undefined)
          onQuery(text)
        }}
        onSend={send}
        send={startLabel(choices)}
        pending={start.pending}
        disabled={attachments.problem !== undefined}
        tools={<AttachButton attachments={attachments} />}
        above={<AttachmentList attachments={attachments} />}
        note={files.length > 0 ? 'Text, images, PDF; 5 MiB each, 10 MiB together.' : undefined}
      />
      <MoreChoices choices={choices} onChange={setChoices} />
      <CopyAs body={body} place={place} withFiles={files.length > 0} />
    </DropArea>
  )
}

function Refusal({ failure }: { failure: ApiFailure }) {
  if (failure.issues.length === 0) return <FailureText failure={failure} />
  return (
    <ul>
      {failure.issues.map(({ path, message }) => (
        <li key={path + message}>
          <code>{path.replace('/body/', '')}</code> {message}
        </li>
      ))}
    </ul>
  )
}
