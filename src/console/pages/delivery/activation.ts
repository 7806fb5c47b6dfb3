/** Activates a Deployment. If several users activate at the same generation, the first wins and the others get a conflict. */
import { useState } from 'react'
import { type Action, useAction } from '../../data/action.ts'
import { type Environment, useEnvironmentApi } from './environments.ts'

export interface Activating {
  /** Sends the generation that the page shows. */
  activate(deploymentId: string): Promise<unknown>
  pending: boolean
  /** Set on a conflict: the requested Activation and the current generation. */
  overtaken: { deploymentId: string; generation: number } | undefined
  failure: Action<never, unknown>['failure']
  /** Dismisses the conflict. */
  reset(): void
}

export function useActivation({ id: environmentId, projectId, generation }: Environment): Activating {
  const api = useEnvironmentApi({ projectId, id: environmentId })
  const [wanted, setWanted] = useState('')
  const action = useAction(
    (deploymentId: string) => api.activations.post({ deploymentId, expectedGeneration: generation }),
    {
      success: ({ generation }) => `Activated as generation ${generation}`,
      changes: [
        ['environments', projectId],
        ['activations', environmentId],
        ['deployments', environmentId],
      ],
      quiet: true,
    },
  )
  const { failure, pending } = action
  const current = failure?.code === 'generation_mismatch' ? Number(failure.details.currentGeneration) : undefined
  return {
    activate(deploymentId) {
      setWanted(deploymentId)
      return action.run(deploymentId)
    },
    pending,
    overtaken: current === undefined ? undefined : { deploymentId: wanted, generation: current },
    failure,
    reset: action.reset,
  }
}
