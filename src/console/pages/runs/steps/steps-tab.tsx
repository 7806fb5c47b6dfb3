/** Steps of a run, with details of the selected one. */
import { useState } from 'react'
import type { PresentedRun } from '../../../../runs/present.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { AbsoluteTime, useNow } from '../../../ui/time.tsx'
import { queuedFrom, startsAtOf } from '../run/awaiting.ts'
import type { UsedFeed } from '../use-feed.ts'
import { StepDetails } from './step-details.tsx'
import { countText, type TokenSums } from './steps.ts'
import { useChosenStep } from './use-chosen-step.ts'
import { Waterfall } from './waterfall.tsx'

/** In longer runs the axis defaults to the visible rows. */
const zoomedFrom = 60

export function StepsTab({ run, used, tokens }: { run: PresentedRun; used: UsedFeed; tokens: TokenSums | undefined }) {
  const { steps, total, loading, failure, retry, want, paged } = used
  const { chosen, choose, step } = useChosenStep(run.id, steps)
  const [zoom, setZoom] = useState<boolean>()
  const startsAt = startsAtOf(run, useNow())
  if (failure && steps.length === 0) return <Failed failure={failure} retry={retry} />
  if (loading && steps.length === 0) return <Loading rows={8} />
  if (steps.length === 0)
    return (
      <Empty icon="clock" title="No steps yet">
        {startsAt ? (
          <>
            The run starts at <AbsoluteTime at={startsAt} />.
          </>
        ) : (
          'Steps appear once a runner has started the run.'
        )}
      </Empty>
    )
  const zoomed = zoom ?? total > zoomedFrom
  return (
    <>
      <div className="run-steps-head">
        <span>
          <strong className="number">{countText(total)}</strong> {total === 1 ? 'step' : 'steps'}
          {steps.length < total && `, ${countText(steps.length)} loaded; more as you scroll`}
        </span>
        {tokens && tokens.total > 0 && (
          <span>
            <strong className="number">{countText(tokens.input)}</strong> tokens in,{' '}
            <strong className="number">{countText(tokens.output)}</strong> out
            {tokens.cached > 0 && `, ${countText(tokens.cached)} cached`}
            {tokens.reasoning > 0 && `, ${countText(tokens.reasoning)} reasoning`}
          </span>
        )}
        <label>
          <input type="checkbox" checked={zoomed} onChange={({ target }) => setZoom(target.checked)} />
          Fit time to visible steps
        </label>
      </div>
      {failure && <Failed failure={failure} retry={retry} />}
      <div className="run-steps">
        <Waterfall
          steps={steps}
          paged={paged}
          total={total}
          want={want}
          chosen={chosen}
          onChoose={choose}
          span={{ from: queuedFrom(run), to: run.endedAt }}
          zoomed={zoomed}
        />
        <StepDetails step={step} run={run} />
      </div>
    </>
  )
}
