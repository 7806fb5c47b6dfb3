/** Letting a Deployment serve. Of several people at the same generation one comes through; the others see who was first. */
import { useState } from 'react'
import { type Action, useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import type { Environment } from './environments.ts'

export interface Activating {
  /** Asks for the generation that is on the screen. */
  activate(deploymentId: string): Promise<unknown>
  pending: boolean
  /** Another Activation came first: the requested one, and the present generation. */
  overtaken: { deploymentId: string; generation: number } | undefined
  failure: Action<never, unknown>['failure']
  /** Lets the matter rest. */
  reset(): void
}

export function useActivation({ id: environmentId, projectId, generation }: Environment): Activating {
  const api = useApi()
  const [wanted, setWanted] = useState('')
  const action = useAction(
    (deploymentId: string) =>
      api.v1
        .projects({ projectId })
        .environments({ environmentId })
        .activations.post({ deploymentId, expectedGeneration: generation }),
    {
      success: ({ generation }) => `It serves, as generation ${generation}`,
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
