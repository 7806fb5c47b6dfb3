/** The integration as a kind of actor: its row, and how a version of its client becomes the current one. */
import { type IntegrationContext, type IntegrationEvent, integrationMachine } from '../../../machines/integration.ts'
import { getIntegration, insertIntegration, updateIntegration } from '../../../storage/accounts/integrations.ts'
import type { IntegrationRow } from '../../../storage/tables.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Address } from '../../runtime/kind.ts'

/** What the row of a new integration holds besides its snapshot. */
export type IntegrationSeed = Pick<IntegrationRow, 'id' | 'organization_id' | 'preset_key'>

export const integrationAddress = (id: string): Address => ({ kind: 'integration', id })

export const integrationKind = defineActor<IntegrationRow, IntegrationContext, IntegrationEvent, IntegrationSeed>({
  kind: 'integration',
  machine: integrationMachine,
  table: { get: getIntegration, insert: insertIntegration, update: updateIntegration },
  columns: ({ clientId, versionId, number }) => ({
    client_id: clientId,
    current_version_id: versionId,
    current_version: number,
  }),
  seeded: (seed) => seed,
  describe: (_, event) => ({
    attempt: 0,
    reason: event.type === 'verificationFailed' ? { code: event.code, message: event.message } : null,
  }),
  effects: {},
})
