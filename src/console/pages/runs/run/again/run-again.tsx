/** Starts a run again, unchanged or with another message, attachments or model. */
import { useState } from 'react'
import type { PresentedRun } from '../../../../../runs/present.ts'
import { useAction } from '../../../../data/action.ts'
import { useApi } from '../../../../data/context.ts'
import { compareAt, runAt } from '../../../../places.ts'
import { FailureText } from '../../../../ui/failure-text.tsx'
import { Button } from '../../../../ui/forms/button.tsx'
import { Dialog } from '../../../../ui/forms/dialog.tsx'
import { Loading } from '../../../../ui/states.tsx'
import { useOpened } from '../../../../use-opened.ts'
import { usePlace } from '../../../../use-place.ts'
import { choicesIn, MoreChoices, noChoices, startLabel } from '../../playground/more-choices.tsx'
import { useSubmissionKey } from '../../playground/submission-key.ts'
import { useLatest } from '../../use-latest.ts'
import { type FirstMessage, firstMessageOf } from './first-message.ts'

interface RunAgainProps {
  run: PresentedRun
  /** The first message, if it may be read. */
  beginning: string | null
}

export function RunAgain(props: RunAgainProps) {
  const [isOpen, setOpen] = useOpened('again')
  return (
    <>
      <Button needs="agent-runs:create" icon="refresh" onClick={() => setOpen(true)}>
        Run again
      </Button>
      <Dialog title="Run again" shape="wide" open={isOpen} onClose={() => setOpen(false)}>
        <Loaded {...props} close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function Loaded({ run, beginning, close }: RunAgainProps & { close: () => void }) {
  const latest = useLatest(run.id)
  if (latest.loading) return <Loading rows={4} />
  const first = firstMessageOf(latest.value?.runtimeCheckpoint.messages ?? [], beginning)
  return <Again run={run} first={first} close={close} />
}

const named = { text: 'text', image: 'image', file: 'file' } as const

function Again({ run, first, close }: { run: PresentedRun; first: FirstMessage | undefined; close: () => void }) {
  const api = useApi()
  const place = usePlace()
  const [query, setQuery] = useState(first?.query ?? '')
  const [withFiles, setWithFiles] = useState(true)
  const [compare, setCompare] = useState(false)
  const [choices, setChoices] = useState(noChoices)
  const attached = first?.contents ?? []
  const body = {
    agentId: run.agentId,
    ...(run.environmentId !== null && { environmentId: run.environmentId }),
    ...(query.trim() !== '' && { query }),
    ...(withFiles && attached.length > 0 && { contents: attached }),
    ...choicesIn(choices),
  }
  const start = useAction(
    () => api.v1['agent-runs'].post(body, { headers: { 'idempotency-key': key.keyOf(JSON.stringify(body)) } }),
    {
      changes: [['runs', 'list']],
      quiet: true,
      done: () => key.settle(),
      opens: ({ id }) => (compare ? compareAt(place, run.id, id) : runAt(place, id)),
    },
  )
  const key = useSubmissionKey(start.failure)
  const isEmpty = query.trim() === '' && !(withFiles && attached.length > 0)
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isEmpty) void start.run()
      }}
    >
      {!first && <p className="faint">The input of this run was removed, or you cannot read it. Enter a new one.</p>}
      {start.failure && (
        <div className="banner banner-bad" role="alert">
          <FailureText failure={start.failure} />
        </div>
      )}
      <div className="field">
        <label htmlFor="again-query">First message</label>
        <textarea
          id="again-query"
          data-focus
          rows={Math.min(14, Math.max(4, query.split('\n').length + 1))}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      </div>
      {attached.length > 0 && (
        <label className="row">
          <input type="checkbox" checked={withFiles} onChange={({ target }) => setWithFiles(target.checked)} />
          With its attachments: {attached.map((item) => named[item.type]).join(', ')}
        </label>
      )}
      <MoreChoices choices={choices} onChange={setChoices} />
      <p className="faint">
        {run.environmentId
          ? 'It runs with the Deployment that is active in its Environment now.'
          : 'It runs with the current revision of the Agent.'}{' '}
        The original run is not changed.
      </p>
      <label className="row">
        <input type="checkbox" checked={compare} onChange={({ target }) => setCompare(target.checked)} />
        Compare it with this run
      </label>
      <footer className="dialog-actions">
        <Button onClick={close}>Cancel</Button>
        <Button type="submit" tone="primary" icon="run" pending={start.pending} disabled={isEmpty}>
          {startLabel(choices)}
        </Button>
      </footer>
    </form>
  )
}
