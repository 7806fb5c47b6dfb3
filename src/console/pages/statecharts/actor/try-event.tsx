/** Sends any event with any data to a copy of the actor. */
import { useId, useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { type EventBody, readEvent } from './event-text.ts'
import { type Preview, PreviewNote } from './preview-note.tsx'

export function TryEvent({ kind, id }: { kind: string; id: string }) {
  const api = useApi()
  const fieldId = useId()
  const [text, setText] = useState('{\n  "type": "cancel"\n}')
  const [problem, setProblem] = useState<string>()
  const [preview, setPreview] = useState<Preview>()
  const attempt = useAction((event: EventBody) => api.v1.actors({ kind })({ id }).preview.post({ event }), {
    done: (value) => setPreview(value as Preview),
  })
  const run = () => {
    const read = readEvent(text)
    setPreview(undefined)
    setProblem('problem' in read ? read.problem : undefined)
    if ('event' in read) void attempt.run(read.event)
  }
  return (
    <details className="try">
      <summary>Try an event with data</summary>
      <div className="stack">
        <p className="faint">The event is sent to a copy: nothing is stored or executed.</p>
        <label className="visually-hidden" htmlFor={fieldId}>
          Event as JSON
        </label>
        <textarea
          id={fieldId}
          className="try-text"
          rows={4}
          spellCheck={false}
          value={text}
          aria-invalid={problem ? true : undefined}
          onChange={({ target }) => setText(target.value)}
        />
        {problem && (
          <p className="field-issues" role="alert">
            {problem}
          </p>
        )}
        <p className="row">
          <Button small pending={attempt.pending} onClick={run}>
            Try the event
          </Button>
        </p>
        {preview && <PreviewNote preview={preview} />}
      </div>
    </details>
  )
}
