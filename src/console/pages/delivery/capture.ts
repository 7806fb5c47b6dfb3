/** Captures the current configuration of an Environment as its next Configuration Revision. */
import type { ConfigurationRevision } from '../../../delivery/configuration-revisions/schema.ts'
import { type ActionOptions, useAction } from '../../data/action.ts'
import { type Environment, useEnvironmentApi } from './environments.ts'

export function useCapture(
  environment: Environment,
  options: Pick<ActionOptions<ConfigurationRevision>, 'done' | 'quiet'>,
) {
  const api = useEnvironmentApi(environment)
  const { projectId, id: environmentId, configurationHead } = environment
  return useAction(
    (description: string) =>
      api['configuration-revisions'].post({
        expectedHeadRevisionId: configurationHead.revisionId,
        ...(description && { description }),
      }),
    {
      ...options,
      success: ({ number }) => `Configuration ${number} created`,
      changes: [
        ['configurations', environmentId],
        ['environments', projectId],
      ],
    },
  )
}
