/** How far the removal of something has come. */
import type { DeletionProgress } from '../../tenancy/deletions/progress.ts'
import { counted } from './counted.ts'
import './meter.css'
import { Progress } from './states.tsx'

/** How often is looked how far it is, and whether it is gone. */
export const removalLookMs = 3_000

const number = (count: number) => count.toLocaleString('en')

/** In words: what is known of it at this moment. */
export function removalText({ runsCounted, isCounted, runsRemoved, recordsRemoved }: DeletionProgress): string {
  const others = recordsRemoved > 0 ? `, and ${counted(recordsRemoved, 'other record')}` : ''
  if (isCounted) return `${number(runsRemoved)} of ${counted(runsCounted, 'run')} removed${others}.`
  if (runsCounted > 0) return `${counted(runsCounted, 'run')} counted so far.`
  return 'Its runs are told to end; then it is counted what has to go.'
}

/** Without progress, as while its receipt is not read yet: what is going on. */
export function Removal({ deletion, what }: { deletion: DeletionProgress | undefined; what: string }) {
  const label = `${what} is being deleted, and cannot be changed any more.`
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
