/** Progress of a deletion. */
import type { DeletionProgress } from '../../tenancy/deletions/progress.ts'
import { counted } from './counted.ts'
import './meter.css'
import { Progress } from './states.tsx'

/** Polling interval of the deletion's progress. */
export const removalLookMs = 3_000

const number = (count: number) => count.toLocaleString('en')

/** Summary of what remains. */
function removalText({ runsCounted, isCounted, runsRemoved, recordsRemoved }: DeletionProgress): string {
  const others = recordsRemoved > 0 ? `, and ${counted(recordsRemoved, 'other record')}` : ''
  if (isCounted) return `${number(runsRemoved)} of ${counted(runsCounted, 'run')} removed${others}.`
  if (runsCounted > 0) return `${counted(runsCounted, 'run')} counted so far.`
  return 'Ending its runs and counting its records.'
}

/** Without progress (its receipt is not loaded yet) it shows a spinner. */
export function Removal({ deletion, what }: { deletion: DeletionProgress | undefined; what: string }) {
  const label = `${what} is being deleted and can no longer be changed.`
  if (!deletion) return <Progress label={label} />
  const { runsCounted, isCounted, runsRemoved } = deletion
  const share = runsCounted === 0 ? 1 : runsRemoved / runsCounted
  const text = removalText(deletion)
  return (
    <>
      <Progress label={label} />
      {isCounted ? (
        <div className="meter">
          <p className="meter-head">{text}</p>
          <meter
            className="visually-hidden"
            aria-label="Runs removed"
            min={0}
            max={Math.max(1, runsCounted)}
            value={runsRemoved}
          >
            {text}
          </meter>
          <div className="meter-track" aria-hidden="true">
            <span style={{ width: `${Math.min(100, share * 100)}%` }} />
          </div>
        </div>
      ) : (
        <p>{text}</p>
      )}
    </>
  )
}
