/** Forks a run at its input or at a checkpoint, with an optional message, and opens the fork. */
import { type ReactNode, useState } from 'react'
import type { PresentedCheckpoint } from '../../../../../runs/present.ts'
import { useAction } from '../../../../data/action.ts'
import { useApi } from '../../../../data/context.ts'
import { compareAt, runAt } from '../../../../places.ts'
import { FailureText } from '../../../../ui/failure-text.tsx'
import { Button } from '../../../../ui/forms/button.tsx'
import { Dialog } from '../../../../ui/forms/dialog.tsx'
import { Labelled } from '../../../../ui/forms/form.tsx'
import { usePlace } from '../../../../use-place.ts'
import { useSubmissionKey } from '../../playground/submission-key.ts'

/** Where a fork begins. */
type ForkPoint = Pick<PresentedCheckpoint, 'checkpointId' | 'kind'>

/** The beginning of a run. */
export const inputPoint: ForkPoint = { checkpointId: 0, kind: 'input' }

const labels: Record<ForkPoint['kind'], string> = {
  input: 'Another input',
  step: 'Message',
  suspended: 'Result of the call',
  final: 'Message',
}

const about: Record<ForkPoint['kind'], string> = {
  input: 'It begins with the same input, unless you enter another one.',
  step: 'It goes on from this checkpoint. Calls that were open are made again; a message follows them.',
  suspended: 'It waits for the same call, unless you enter its result, as JSON or text.',
  final: 'It goes on after the answer, with your message.',
}

interface ForkButtonProps {
  runId: string
  point: ForkPoint
  small?: boolean
}

export const ForkButton = ({ small = false, ...props }: ForkButtonProps) => (
  <ForkDialogButton small={small} label="Fork">
    {(close) => <ForkForm {...props} close={close} />}
  </ForkDialogButton>
)

interface ForkDialogButtonProps {
  label: string
  small?: boolean
  children: (close: () => void) => ReactNode
}

/** A button that opens the dialog of a fork. */
export function ForkDialogButton({ label, small = false, children }: ForkDialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button needs="agent-runs:create" small={small} icon="fork" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title="Fork this run" shape="wide" open={isOpen} onClose={() => setOpen(false)}>
        {isOpen && children(() => setOpen(false))}
      </Dialog>
    </>
  )
}

export function ForkForm({ runId, point, close }: Omit<ForkButtonProps, 'small'> & { close: () => void }) {
  const api = useApi()
  const place = usePlace()
  const [query, setQuery] = useState('')
  const [model, setModel] = useState('')
  const [compare, setCompare] = useState(false)
  const { checkpointId, kind } = point
  const body = {
    checkpointId,
    ...(query.trim() !== '' && { query }),
    ...(model.trim() !== '' && { model: model.trim() }),
  }
  const fork = useAction(
    () =>
      api.v1['agent-runs']({ agentRunId: runId }).fork.post(body, {
        headers: { 'idempotency-key': key.keyOf(JSON.stringify(body)) },
      }),
    {
      changes: [['runs', 'list']],
      quiet: true,
      done: () => key.settle(),
      opens: ({ id }) => (compare ? compareAt(place, runId, id) : runAt(place, id)),
    },
  )
  const key = useSubmissionKey(fork.failure)
  const issuesOf = (name: string) => fork.issues.filter(({ path }) => path === `/body/${name}`)
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void fork.run()
      }}
    >
      <p>
        A fork is a new run with the same revision and Deployment. {about[kind]} The original run is not changed, and
        what it did before is not repeated.
      </p>
      {fork.failure && (
        <div className="banner banner-bad" role="alert">
          <FailureText failure={fork.failure} />
        </div>
      )}
      <Labelled label={labels[kind]} issues={issuesOf('query')}>
        {(given) => (
          <textarea
            {...given}
            data-focus
            rows={4}
            required={kind === 'final'}
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
        )}
      </Labelled>
      <Labelled label="Model" hint="Default: that of the original run." issues={issuesOf('model')}>
        {(given) => (
          <input
            {...given}
            type="text"
            maxLength={200}
            autoComplete="off"
            value={model}
            onChange={({ target }) => setModel(target.value)}
          />
        )}
      </Labelled>
      <label className="row">
        <input type="checkbox" checked={compare} onChange={({ target }) => setCompare(target.checked)} />
        Compare it with this run
      </label>
      <footer className="dialog-actions">
        <Button onClick={close}>Cancel</Button>
        <Button type="submit" tone="primary" pending={fork.pending}>
          Fork
        </Button>
      </footer>
    </form>
  )
}
