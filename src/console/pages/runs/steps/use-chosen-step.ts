/** The selected step, in the address: `?step=17`. A step that is not loaded yet is read on its own. */
import { useEffect, useState } from 'react'
import { useAddressQuery } from '../../../address-query.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { useSettled } from '../../../data/use-settled.ts'
import type { Step } from './steps.ts'

/** Delay before the address changes: browsers limit the rate, and a held arrow key would exceed it. */
const settledMs = 300
const stepIn = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

export function useChosenStep(runId: string, steps: readonly Step[]) {
  const api = useApi()
  const { values, change } = useAddressQuery('step')
  const asked = stepIn(values.step)
  const [chosen, choose] = useState(asked)
  const settled = useSettled(chosen, settledMs)
  useEffect(() => choose(asked), [asked])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a selection made here is written to the address
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
