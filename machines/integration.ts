/**
 * An organization's OAuth client at a provider; the actor's id is the integration's. Source: requirement 4.8; contract
 * 4, "Integration".
 * Verification reports carry the version of the client: a report after a rotation is ignored. Inconclusive answers of
 * the provider cause no event.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import type { Stamp } from './words.ts'

export const integrationStates = ['active', 'misconfigured'] as const
export type IntegrationState = (typeof integrationStates)[number]

/** The outcome and time of a conclusive verification. */
interface Verification {
  outcome: 'verified' | 'failed'
  /** The error code of a failed verification. */
  code: string | null
  message: string
  at: number
}

/** One version of the client. */
interface ClientVersion {
  /** `inv_…` */
  versionId: string
  clientId: string
}

export interface IntegrationContext extends ClientVersion {
  /** The number of the current version, from 1. */
  number: number
  /** The last successful verification. */
  verifiedAt: number
  lastVerification: Verification
}

interface OfVersion {
  /** The number of the version that was verified or will be replaced. */
  number: number
}

export type IntegrationEvent =
  /** The provider accepts the client. */
  | (Stamp & OfVersion & { type: 'verified' })
  /** The provider rejects the client. */
  | (Stamp & OfVersion & { type: 'verificationFailed'; code: string; message: string })
  /** The provider accepts a new client, which replaces this one. */
  | (Stamp & OfVersion & ClientVersion & { type: 'rotated' })

const verifiedNow = (at: number) => ({
  verifiedAt: at,
  lastVerification: { outcome: 'verified' as const, code: null, message: 'The provider accepts the client.', at },
})

export const integrationMachine = setup({
  types: {
    input: {} as ClientVersion & { at: number },
    context: {} as IntegrationContext,
    events: {} as IntegrationEvent,
  },
  guards: {
    ofThisVersion: ({ context, event }) => event.number === context.number,
  },
  actions: {
    noteSuccess: assign(({ event }) => verifiedNow(event.at)),
    noteFailure: assign(({ event }) =>
      event.type === 'verificationFailed'
        ? { lastVerification: { outcome: 'failed', code: event.code, message: event.message, at: event.at } as const }
        : {},
    ),
    takeVersion: assign(({ context, event }) =>
      event.type === 'rotated'
        ? { number: context.number + 1, versionId: event.versionId, clientId: event.clientId, ...verifiedNow(event.at) }
        : {},
    ),
  },
}).createMachine({
  id: 'integration',
  version: '1',
  context: ({ input: { at, versionId, clientId } }) => ({ number: 1, versionId, clientId, ...verifiedNow(at) }),
  meta: { creations: { register: {} } },
  initial: 'registered',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    registered: {     on: { verified:           { target: '.active', guard: 'ofThisVersion', actions: 'noteSuccess' },
                            verificationFailed: { target: '.misconfigured', guard: 'ofThisVersion', actions: 'noteFailure' },
                            rotated:            { target: '.active', guard: 'ofThisVersion', actions: 'takeVersion' } },
                      initial: 'active', states: {
      'active': {},
      'misconfigured': {},
    } },
  },
})

/** Descriptions of the integration's statechart. Source: contract 4, "Integration". */
export const integrationChart = {
  title: 'Integration',
  about:
    'The OAuth client that an organization has registered with a provider. It starts `active`, because it is stored ' +
    'only after the provider has accepted it. A verification that the provider rejects makes it `misconfigured`; no ' +
    'consent can then be started until a verification or a rotation succeeds. An outage of the provider changes ' +
    'nothing. A rotation adds a version; consents in progress keep theirs.',
  machine: integrationMachine,
  input: { at: 0, versionId: 'inv_01h455vb4pex5vsknk084sn02q', clientId: 'client' },
  events: {
    register: { by: 'command', says: '`POST /api/v1/organizations/{organizationIdOrSlug}/integrations`.' },
    verified: {
      by: 'report',
      says: 'The provider, asked by `POST /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}/verify`, accepts the client.',
    },
    verificationFailed: {
      by: 'report',
      says: 'The provider, asked by `POST /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}/verify`, rejects the client.',
    },
    rotated: {
      by: 'command',
      says: '`PATCH /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}` with another client id or secret, which the provider knows.',
    },
  },
  guards: {
    ofThisVersion: 'The verified version is still the current one.',
  },
  deadlines: {},
  effects: {},
} satisfies ChartOf<typeof integrationMachine>
