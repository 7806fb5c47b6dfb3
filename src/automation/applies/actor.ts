/** The Apply as a kind of actor: its row. `apply-work.ts` has its effects. */
import { type ApplyContext, type ApplyEvent, applyMachine } from '../../../machines/apply.ts'
import {
  findPlaceOfApply,
  getApply,
  insertApply,
  insertManifest,
  removeManifest,
  updateApply,
} from '../../../storage/automation/applies.ts'
import { withinBound } from '../../../storage/bounds.ts'
import type { ApplyRow } from '../../../storage/tables.ts'
import type { RequestId } from '../../platform/http/answers/request-id.ts'
import { timestampOrNull } from '../../platform/http/timestamp.ts'
import type { SecretPlace } from '../../platform/secrets/vault.ts'
import { defineActor, isSmall } from '../../runtime/define-actor.ts'
import type { Address } from '../../runtime/kind.ts'

/** The request of an Apply, besides its manifest. */
export interface ApplyRequest extends RequestId {
  environment: 'development' | 'preview' | 'production'
  prune: boolean
  description: string | null
  /** Of promotions and roll-backs, which have no manifest: the target. */
  target: ApplyTarget | null
}

export interface ApplyTarget {
  releaseId: string
  /** null: the current configuration of the Environment. */
  configurationRevisionId: string | null
  credentials: 'pinned' | 'current'
  /** A Deployment of exactly this target, if it is still valid. */
  deploymentId: string | null
  /** Of a roll-back: the Deployment that it activates or deploys again. */
  repeats?: string
}

/** The columns of a new Apply besides its snapshot. */
export type ApplySeed = Pick<
  ApplyRow,
  'id' | 'organization_id' | 'project_id' | 'environment_id' | 'request' | 'plan' | 'created_by_type' | 'created_by_id'
> & {
  /** The sealed manifest; null for Applies without one. */
  manifest: string | null
}

export const applyAddress = (id: string): Address => ({ kind: 'apply', id })

/** The record to which the manifest of an Apply is sealed. */
export const manifestPlace = (organizationId: string, id: string): SecretPlace => ({
  organizationId,
  table: 'applies',
  recordId: id,
  version: 1,
})

/** The effects of the states. Each may run twice and is idempotent. */
export interface ApplyEffects {
  takeUp(id: string): Promise<void>
  write(id: string): Promise<void>
  release(id: string): Promise<void>
  configure(id: string): Promise<void>
  deploy(id: string): Promise<void>
  activate(id: string): Promise<void>
  abandon(id: string): Promise<void>
}

export const applyKind = (effects: ApplyEffects) =>
  defineActor<ApplyRow, ApplyContext, ApplyEvent, ApplySeed>({
    machine: applyMachine,
    table: { get: getApply, insert: insertApply, update: updateApply },
    isKept: ({ plan }) => isSmall(plan),
    seeded: ({ manifest: _, ...seed }) => ({ ...seed, release_id: null, deployment_id: null, activation_id: null }),
    born: (row, { seed: { manifest } }, store) => [
      withinBound(store, 'applies', row.organization_id, row.environment_id),
      ...(manifest === null ? [] : [insertManifest(store, { apply_id: row.id, sealed: manifest })]),
    ],
    // a manifest may contain values of variables, so it is deleted as soon as it is no longer needed
    moved: (row, { context }, store) => (context.endedAt === null ? [] : [removeManifest(store, { applyId: row.id })]),
    describe: ({ failure }) => ({ attempt: 0, reason: failure }),
    effects: {
      takeUp: { durable: (_, { address }) => effects.takeUp(address.id) },
      write: { durable: (_, { address }) => effects.write(address.id) },
      release: { durable: (_, { address }) => effects.release(address.id) },
      configure: { durable: (_, { address }) => effects.configure(address.id) },
      deploy: { durable: (_, { address }) => effects.deploy(address.id) },
      activate: { durable: (_, { address }) => effects.activate(address.id) },
      abandon: { durable: (_, { address }) => effects.abandon(address.id) },
    },
    view: {
      permission: 'projects:get',
      place: findPlaceOfApply,
      show: ({ endedAt, ...context }) => ({ ...context, endedAt: timestampOrNull(endedAt) }),
    },
  })
