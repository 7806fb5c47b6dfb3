/** Actions on the selected runs. */
import { useState } from 'react'
import type { PresentedRun } from '../../../../../runs/present.ts'
import { compareAt } from '../../../../places.ts'
import { Button, LinkButton } from '../../../../ui/forms/button.tsx'
import { Dialog } from '../../../../ui/forms/dialog.tsx'
import { usePlace } from '../../../../use-place.ts'
import { useConsent } from '../../run/cancel/consent.ts'
import { KeyNote } from '../../run/cancel/key-note.tsx'
import type { RunQuery } from '../filters/run-query.ts'
import { BulkDialog } from './bulk/bulk-dialog.tsx'
import { type Progress, useCancelMany } from './cancel-many.ts'
import './selected.css'

interface SelectedBarProps {
  runs: readonly PresentedRun[]
  /** Whether all rows of the list are selected. */
  areAll: boolean
  /** The query of the list. */
  query: RunQuery
  clear: () => void
}

const counted = (count: number) => (count === 1 ? '1 run' : `${count.toLocaleString('en')} runs`)

export function SelectedBar({ runs, areAll, query, clear }: SelectedBarProps) {
  const place = usePlace()
  const consent = useConsent()
  const [isOpen, setOpen] = useState(false)
  const [isBulk, setBulk] = useState(false)
  const { run, progress, refused, stop, reset } = useCancelMany()
  const live = runs.filter(({ endedAt }) => endedAt === null)
  const [left, right] = runs
  const close = () => {
    setOpen(false)
    if (progress?.isOver) clear()
    reset()
  }
  // canceled runs may leave the list and the selection: the dialog stays
  return (
    <>
      {runs.length > 0 && (
        <section className="selected-bar" aria-label="Selected runs">
          <strong>{counted(runs.length)} selected</strong>
          {left && right && runs.length === 2 && (
            <LinkButton small href={compareAt(place, left.id, right.id)} icon="chart">
              Compare
            </LinkButton>
          )}
          <Button small icon="close" disabled={live.length === 0} onClick={() => setOpen(true)}>
            {live.length === runs.length || live.length === 0 ? 'Cancel' : `Cancel ${live.length.toLocaleString('en')}`}
          </Button>
          {areAll && (
            <Button small onClick={() => setBulk(true)}>
              Select all that match
            </Button>
          )}
          <Button small tone="quiet" onClick={clear}>
            Clear selection
          </Button>
        </section>
      )}
      {isBulk && <BulkDialog query={query} close={() => setBulk(false)} />}
      <Dialog
        title={progress ? 'Canceling runs' : `Cancel ${counted(live.length)}?`}
        open={isOpen}
        {...((!progress || progress.isOver) && { onClose: close })}
      >
        {progress ? (
          <Canceling progress={progress} stop={stop} close={close} />
        ) : (
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault()
              consent.give()
              void run(live.map(({ id }) => id))
            }}
          >
            <p>Runs in progress end after their current step, others at once. Completed steps are kept.</p>
            {live.length < runs.length && (
              <p className="faint">
                {counted(runs.length - live.length)} of the selected runs have already ended and are not changed.
              </p>
            )}
            {refused && (
              <p className="field-issues" role="alert">
                The console could not create an API key:{' '}
                {refused.permission ? `you need ${refused.permission}.` : refused.message}
              </p>
            )}
            {!consent.given && <KeyNote />}
            <footer className="dialog-actions">
              <Button onClick={close}>Keep running</Button>
              <Button type="submit" tone="danger">
                Cancel {counted(live.length)}
              </Button>
            </footer>
          </form>
        )}
      </Dialog>
    </>
  )
}

function Canceling({ progress, stop, close }: { progress: Progress; stop: () => void; close: () => void }) {
  const { total, done, failed, failures, isOver } = progress
  return (
    <div className="stack">
      <progress className="selected-progress" max={total} value={done + failed} aria-label="Canceled runs" />
      <p role="status">
        {isOver ? 'Done: ' : ''}
        {done.toLocaleString('en')} of {counted(total)} canceled
        {failed > 0 && `, ${failed.toLocaleString('en')} failed`}
      </p>
      {failures.length > 0 && (
        <ul className="selected-failures">
          {failures.map(({ runId, message }) => (
            <li key={runId}>
              <code>…{runId.slice(-6)}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <footer className="dialog-actions">
        {isOver ? (
          <Button tone="primary" onClick={close}>
            Close
          </Button>
        ) : (
          <Button onClick={stop}>Stop</Button>
        )}
      </footer>
    </div>
  )
}
