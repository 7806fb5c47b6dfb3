/** Cancels, continues or forks all matching runs, including those not loaded. */
import { useState } from 'react'
import type { BulkAction } from '../../../../../../runs/bulk-actions/schema.ts'
import type { Live } from '../../../../../data/use-event-stream.ts'
import { FailureText } from '../../../../../ui/failure-text.tsx'
import { Button } from '../../../../../ui/forms/button.tsx'
import { Dialog } from '../../../../../ui/forms/dialog.tsx'
import { Labelled } from '../../../../../ui/forms/form.tsx'
import { Segments } from '../../../../../ui/segments.tsx'
import { StreamNote } from '../../../../../ui/stream-note.tsx'
import { useConsent } from '../../../run/cancel/consent.ts'
import { KeyNote } from '../../../run/cancel/key-note.tsx'
import type { RunQuery } from '../../filters/run-query.ts'
import { type BulkKind, useBulk } from './use-bulk.ts'

const runs = (count: number) => (count === 1 ? '1 run' : `${count.toLocaleString('en')} runs`)

const kinds = [
  { value: 'cancel', title: 'Cancel' },
  { value: 'continue', title: 'Continue' },
  { value: 'fork', title: 'Fork' },
] satisfies { value: BulkKind; title: string }[]

const about: Record<BulkKind, string> = {
  cancel:
    'Runs in progress end after their current step, others at once. Runs that have already ended are not changed and count as failed.',
  continue:
    'Each run that has ended or is waiting continues with this message. Active runs are not changed and count as failed.',
  fork: 'Each run is started again as a new run, with the same revision and Deployment and with the same or another input. The original runs are not changed.',
}
const done: Record<BulkKind, string> = { cancel: 'canceled', continue: 'continued', fork: 'forked' }

export function BulkDialog({ query, close }: { query: RunQuery; close: () => void }) {
  const [kind, setKind] = useState<BulkKind>('cancel')
  const [text, setText] = useState('')
  const consent = useConsent()
  const { matching, uncounted, start, bulk, live, stop, done: refresh } = useBulk(query, kind)
  const over = () => {
    void refresh()
    close()
  }
  const isRunning = start.pending || bulk?.state === 'running'
  const named = matching === undefined ? 'all runs that match' : `all ${runs(matching)} that match`
  return (
    <Dialog title={bulk ? title(bulk) : `Select ${named}`} open {...(!isRunning && { onClose: over })}>
      {bulk ? (
        <Progress bulk={bulk} live={live} stop={() => stop.run()} stopping={stop.pending} close={over} />
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (kind === 'cancel') consent.give()
            void start.run(text.trim() || undefined)
          }}
        >
          <Segments label="Action" value={kind} options={kinds} onChoose={setKind} />
          <p>{about[kind]}</p>
          {kind !== 'cancel' && (
            <Labelled label={kind === 'fork' ? 'Another input' : 'Message'} issues={[]}>
              {(given) => (
                <textarea
                  {...given}
                  rows={3}
                  required={kind === 'continue'}
                  value={text}
                  onChange={({ target }) => setText(target.value)}
                />
              )}
            </Labelled>
          )}
          {(start.failure ?? uncounted) && (
            <div role="alert">
              <FailureText failure={(start.failure ?? uncounted) as NonNullable<typeof uncounted>} />
            </div>
          )}
          {kind === 'cancel' && !consent.given && <KeyNote />}
          <footer className="dialog-actions">
            <Button onClick={close}>Close</Button>
            <Button
              type="submit"
              tone={kind === 'cancel' ? 'danger' : 'primary'}
              pending={start.pending}
              disabled={matching === 0}
            >
              {kinds.find(({ value }) => value === kind)?.title} {matching === undefined ? 'all' : runs(matching)}
            </Button>
          </footer>
        </form>
      )}
    </Dialog>
  )
}

const endings = { completed: 'Completed', canceled: 'Stopped', failed: 'Failed' } as const

const title = ({ action, state }: BulkAction) =>
  state === 'running'
    ? `${{ cancel: 'Canceling', continue: 'Continuing', fork: 'Forking' }[action]} runs`
    : endings[state]

interface ProgressProps {
  bulk: BulkAction
  live: Live | undefined
  stop: () => void
  stopping: boolean
  close: () => void
}

function Progress({ bulk, live, stop, stopping, close }: ProgressProps) {
  const { action, state, matched, done: count, failed, failures, error } = bulk
  return (
    <div className="stack">
      {live && <StreamNote live={live} />}
      <progress className="selected-progress" max={Math.max(1, matched)} value={count + failed} aria-label="Progress" />
      <p role="status">
        {state !== 'running' && 'Done: '}
        {count.toLocaleString('en')} of {runs(matched)} {done[action]}
        {failed > 0 && `, ${failed.toLocaleString('en')} failed`}
      </p>
      {error && <p role="alert">{error.message}</p>}
      {failures.length > 0 && (
        <ul className="selected-failures">
          {failures.map(({ agentRunId, message }) => (
            <li key={agentRunId}>
              <code>…{agentRunId.slice(-6)}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {state === 'running' && <p className="faint">The action continues if you leave this page.</p>}
      <footer className="dialog-actions">
        {state === 'running' ? (
          <Button onClick={stop} pending={stopping}>
            Stop
          </Button>
        ) : (
          <Button tone="primary" onClick={close}>
            Close
          </Button>
        )}
      </footer>
    </div>
  )
}
