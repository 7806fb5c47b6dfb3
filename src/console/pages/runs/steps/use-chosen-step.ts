/** The step that is looked at, in the address: `?step=17`. A step that is not loaded yet is read by itself. */
import { useEffect, useState } from 'react'
import { useAddressQuery } from '../../../address-query.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { useSettled } from '../../../data/use-settled.ts'
import type { Step } from './steps.ts'

/** Browsers take only so many changes of an address in a time, and an arrow key that is held makes more. */
const settledMs = 300
const stepIn = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

export function useChosenStep(runId: string, steps: readonly Step[]) {
  const api = useApi()
  const { values, change } = useAddressQuery('step')
  const asked = stepIn(values.step)
  const [chosen, choose] = useState(asked)
  const settled = useSettled(chosen, settledMs)
  useEffect(() => choose(asked), [asked])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was chosen here goes to the address
  useEffect(() => {
    if (settled === chosen && settled !== asked) change({ step: settled === undefined ? '' : String(settled) })
  }, [settled])
  const known = steps.find(({ agentStepId }) => agentStepId === chosen)
  const alone = useResource(chosen !== undefined && !known ? ['runs', runId, 'step', chosen] : null, (options) =>
    api.v1['agent-runs']({ agentRunId: runId })
      .steps({ agentStepId: chosen as number })
      .get(options),
  )
  return { chosen, choose, step: known ?? alone.value }
}
