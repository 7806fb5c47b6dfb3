/** The integration as a kind of actor: its row, and how a version of its client becomes the current one. */
import { type IntegrationContext, type IntegrationEvent, integrationMachine } from '../../../machines/integration.ts'
import {
  findIntegration,
  getIntegration,
  insertIntegration,
  updateIntegration,
} from '../../../storage/accounts/integrations.ts'
import type { IntegrationRow } from '../../../storage/tables.ts'
import { isBound } from '../../platform/http/guard/authorization-scope.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Address } from '../../runtime/kind.ts'

/** The columns of a new integration besides its snapshot. */
export type IntegrationSeed = Pick<IntegrationRow, 'id' | 'organization_id' | 'preset_key'>

export const integrationAddress = (id: string): Address => ({ kind: 'integration', id })

export const integrationKind = defineActor<IntegrationRow, IntegrationContext, IntegrationEvent, IntegrationSeed>({
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
  view: {
    permission: 'organization-integrations:get',
    async isVisible(store, caller, id) {
      // it is of the organization as a whole
      if (isBound(caller) || !caller.permissions.has('organization-integrations:get')) return false
      return (await store.first(findIntegration(store, { organizationId: caller.organizationId, id }))) !== undefined
    },
    show: ({ number, versionId, clientId, verifiedAt, lastVerification }) => ({
      number,
      versionId,
      clientId,
      verifiedAt: timestamp(verifiedAt),
      lastVerification: { ...lastVerification, at: timestamp(lastVerification.at) },
    }),
  },
})
