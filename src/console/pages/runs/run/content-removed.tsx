/** Note that the content of a run was removed by retention. */
import type { PresentedRun } from '../../../../runs/present.ts'
import { Icon } from '../../../ui/icon.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import type { Step } from '../steps/steps.ts'

/** Whether the content of the run was removed, judged by these steps. */
export const isContentRemoved = (
  { endedAt, contentRetention }: Pick<PresentedRun, 'endedAt' | 'contentRetention'>,
  steps: readonly Pick<Step, 'input' | 'output'>[],
  now: number,
): boolean =>
  endedAt !== null &&
  Date.parse(contentRetention.expiresAt) <= now &&
  steps.every(({ input, output }) => input === null && output === null)

export const ContentRemoved = ({ contentRetention }: Pick<PresentedRun, 'contentRetention'>) => (
  <div className="banner banner-info" role="status">
    <Icon name="clock" />
    <span>
      Content was removed on <AbsoluteTime at={contentRetention.expiresAt} />. The run, its steps and its journal are
      kept.
    </span>
  </div>
)
