/** The start of a consent flow. Source: requirement 4.2, "Start rules"; contract 4, "OAuth". */
import { findIntegrationOfPreset } from '../../../storage/accounts/integrations.ts'
import type { Store } from '../../../storage/store.ts'
import { ApiError, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Presets } from '../presets/catalogue.ts'
import { cookieBytesMax, type FlowCookies, flowSeconds, hashOf, principalOf } from './flow.ts'
import { assertReturnTo, invalidReturnTo } from './return-to.ts'

export interface FlowStartParts {
  store: Store
  clock: Pick<Clock, 'now'>
  presets: Pick<Presets, 'find'>
  flows: FlowCookies
  /** The console's origin. */
  consoleOrigin(): string
}

interface StartRequest {
  projectId: string
  environmentId: string
  returnTo?: string
}

/** The redirect to the provider, and the cookie for the return. */
interface Departure {
  location: string
  cookie: string
}

/**
 * Throws `notFound` for an unknown preset, `invalid_return_to` (422), `integration_not_found` (404),
 * `integration_not_verified` (400). Whether the caller may connect the Environment is settled before.
 */
export async function startFlow(
  { store, clock, presets, flows, consoleOrigin }: FlowStartParts,
  caller: Caller,
  presetKey: string,
  { projectId, environmentId, returnTo }: StartRequest,
): Promise<Departure> {
  const { organizationId } = caller
  const preset = orNotFound(presets.find(presetKey))
  assertReturnTo(returnTo, consoleOrigin())
  const integration = await store.first(findIntegrationOfPreset(store, { organizationId, presetKey }))
  if (!integration) throw integrationNotFound(presetKey)
  if (integration.state === 'misconfigured') throw integrationNotVerified()

  const { consentUrl, newState, newVerifier } = await import('./provider.ts')
  const state = newState()
  const verifier = newVerifier()
  const cookie = await flows.issue(state, {
    stateHash: hashOf(state),
    principal: principalOf(caller),
    organizationId,
    projectId,
    environmentId,
    presetKey,
    integrationId: integration.id,
    integrationVersion: integration.current_version,
    returnTo: returnTo ?? null,
    verifier,
    expiresAt: clock.now() + flowSeconds * 1000,
  })
  if (cookie.length > cookieBytesMax) throw invalidReturnTo()
  return { location: consentUrl(preset, { clientId: integration.client_id, state, verifier }), cookie }
}

const integrationNotFound = (presetKey: string) =>
  new ApiError(
    404,
    'integration_not_found',
    `The organization has registered no client for the preset ${presetKey}: register one as an integration first.`,
  )
const integrationNotVerified = () =>
  new ApiError(400, 'integration_not_verified', 'The provider refuses the client of the organization; verify it.')
