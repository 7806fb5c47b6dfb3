/** Integrations as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { IntegrationContext } from '../../../machines/integration.ts'
import { findIntegration } from '../../../storage/accounts/integrations.ts'
import type { Store } from '../../../storage/store.ts'
import { isBound } from '../../platform/http/guard/authorization-scope.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { ActorView } from '../../runtime/statecharts/live/watch.ts'
import { integrationKind } from './actor.ts'

const readPermission = 'organization-integrations:get'

export const integrationView = (store: Store): ActorView => ({
  definition: integrationKind,
  readPermission,
  async find(caller, id) {
    // it is of the organization as a whole
    if (isBound(caller) || !caller.permissions.has(readPermission)) return false
    return (await store.first(findIntegration(store, { organizationId: caller.organizationId, id }))) !== undefined
  },
  redact: ({ number, versionId, clientId, verifiedAt, lastVerification }: IntegrationContext) => ({
    number,
    versionId,
    clientId,
    verifiedAt: timestamp(verifiedAt),
    lastVerification: { ...lastVerification, at: timestamp(lastVerification.at) },
  }),
})
