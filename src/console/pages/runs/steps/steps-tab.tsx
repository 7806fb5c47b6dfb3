/** The steps of a run, and the one that was chosen. */
import { useState } from 'react'
import type { PresentedRun } from '../../../../runs/present.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import type { UsedFeed } from '../use-feed.ts'
import { StepDetails } from './step-details.tsx'
import { countText, type TokenSums } from './steps.ts'
import { Waterfall } from './waterfall.tsx'

/** In a run with more steps than these each bar of the whole would be a speck. */
const zoomedFrom = 60

export function StepsTab({ run, used, tokens }: { run: PresentedRun; used: UsedFeed; tokens: TokenSums | undefined }) {
  const { steps, total, loading, failure, retry, want, paged } = used
  const [chosen, setChosen] = useState<number>()
  const [zoom, setZoom] = useState<boolean>()
  if (failure && steps.length === 0) return <Failed failure={failure} retry={retry} />
  if (loading && steps.length === 0) return <Loading rows={8} />
  if (steps.length === 0)
    return (
      <Empty icon="clock" title="No steps yet">
        They are here as soon as a runner has taken the run.
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
          Only the time of what is in view
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
          onChoose={setChosen}
          span={{ from: run.createdAt, to: run.endedAt }}
          zoomed={zoomed}
        />
        <StepDetails step={steps.find(({ agentStepId }) => agentStepId === chosen)} />
      </div>
    </>
  )
}
