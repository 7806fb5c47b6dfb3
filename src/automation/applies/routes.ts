/** The routes of Applies, promotions, roll-backs and exported manifests. Source: contract 10. */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { notFound } from '../../platform/http/answers/errors.ts'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { digestOfLarge } from '../../platform/http/digest.ts'
import { doc } from '../../platform/http/doc.ts'
import { inScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath, ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, Id, IdempotencyHeader, omissible, oneOf, pageOf } from '../../platform/http/schema.ts'
import { Transition } from '../../runtime/transition.ts'
import { assertMayExport } from './authority.ts'
import { exportManifest } from './export.ts'
import { environmentKinds, manifestBytesMax } from './manifest.ts'
import { Apply, ManifestOfProject, NewApply, NewPromotion, NewRollback, Plan, PlanBody } from './schema.ts'
import { Applies } from './service.ts'
import type { ApplyParts } from './services.ts'
import { findPlaceOf } from './standing.ts'
import { Targets } from './targets.ts'

const ApplyPath = Type.Object({ applyId: Id('apl') })
const ListQuery = Type.Object({
  ...pageQuery.properties,
  projectId: Type.Optional(Id('prj', 'Only those of this Project.')),
  environmentId: Type.Optional(Id('env', 'Only those of this Environment.')),
})
const ExportQuery = Type.Object({
  environment: oneOf(environmentKinds, { description: 'The kind of the Environment.' }),
})

const beginErrors = [
  ...keyErrorsWithConflict,
  'plan_has_issues',
  'apply_in_progress',
  'limit_exceeded',
  'deletion_in_progress',
] as const

export function applyRoutes({
  guarded,
  idempotency,
  ...parts
}: ApplyParts & { guarded: Guarded; idempotency: Idempotency }) {
  const create = creating(idempotency)
  const applies = new Applies(parts)
  const targets = new Targets(parts, applies)
  const find = ({ caller, params }: Naming<typeof ApplyPath>) => applies.get(caller, params.applyId)
  return new Elysia({ name: 'applies', prefix: '/api/v1', tags: ['Applies'] })
    .use(guarded)
    .post('/applies/plan', async ({ caller, body }) => ({ data: await applies.plan(caller, body) }), {
      permission: 'projects:get',
      resource: null,
      bodyLimit: manifestBytesMax,
      body: PlanBody,
      response: { 200: dataOf(Plan) },
      errors: ['not_found'],
      detail: doc(
        'planApply',
        'Plan a manifest',
        'Returns what applying the manifest would change, and all problems at once. Nothing is written. Values are shown ' +
          'only of kinds that the credential may list and read.',
      ),
    })
    .post(
      '/applies',
      (context) =>
        create(context, {
          status: 202,
          work: ({ caller, body, requestId, requestIdFrom }, record) =>
            applies.begin(caller, body, { requestId, requestIdFrom }, record),
          assertInScope: ({ caller }, id) => applies.assertInScope(caller, id),
          // the manifest may contain values of variables
          fingerprint: async ({ caller, body: { manifest, ...rest } }) => [
            rest,
            await parts.vault.digest(caller.organizationId, await digestOfLarge(manifest)),
          ],
        }),
      {
        permission: 'deployments:create',
        resource: 'apply',
        bodyLimit: manifestBytesMax,
        body: NewApply,
        headers: IdempotencyHeader,
        response: { 202: dataOf(Apply) },
        errors: [...beginErrors, 'plan_changed', 'not_found'],
        detail: doc(
          'createApply',
          'Apply a manifest',
          'Creates the Project if it is missing, opens the Environment, writes only the differences, then creates a ' +
            'Release, a Configuration Revision and a Deployment, and activates it. Requires the permissions of every ' +
            'change. The active Deployment serves until the new one is ready. Applying the same manifest again writes ' +
            'nothing.',
        ),
      },
    )
    .get('/applies', ({ caller, query }) => applies.list(caller, filtersOf(query), query), {
      permission: 'projects:get',
      query: ListQuery,
      response: { 200: pageOf(Apply) },
      detail: doc('listApplies', 'List Applies', 'The Applies that the credential can read, newest first.'),
    })
    .get('/applies/:applyId', async ({ caller, params }) => ({ data: await applies.get(caller, params.applyId) }), {
      permission: 'projects:get',
      params: ApplyPath,
      find,
      response: { 200: dataOf(Apply) },
      detail: doc('getApply', 'Get an Apply', 'With its progress, its changes and the ids of what it created.'),
    })
    .post(
      '/applies/:applyId/cancel',
      async ({ caller, params, record }) => ({ data: await applies.cancel(caller, params.applyId, record) }),
      {
        permission: 'deployments:create',
        resource: 'apply',
        params: ApplyPath,
        find,
        response: { 200: dataOf(Apply) },
        errors: ['invalid_transition', 'concurrent_change'],
        detail: doc(
          'cancelApply',
          'Cancel an Apply',
          'Possible before `activating`; canceling again changes nothing. Resources that it has written remain, and the ' +
            'active Deployment does not change.',
        ),
      },
    )
    .get(
      '/applies/:applyId/transitions',
      ({ caller, params, query }) => applies.transitions(caller, params.applyId, query),
      {
        permission: 'projects:get',
        params: ApplyPath,
        find,
        query: pageQuery,
        response: { 200: pageOf(Transition) },
        detail: doc('listApplyTransitions', 'List transitions of an Apply', 'Its journal, ascending.'),
      },
    )
    .post(
      '/promotions',
      (context) =>
        create(context, {
          status: 202,
          work: ({ caller, body, requestId, requestIdFrom }, record) =>
            targets.promote(caller, body, { requestId, requestIdFrom }, record),
          assertInScope: ({ caller }, id) => applies.assertInScope(caller, id),
        }),
      {
        permission: 'deployments:create',
        resource: 'apply',
        body: NewPromotion,
        headers: IdempotencyHeader,
        response: { 202: dataOf(Apply) },
        errors: [...beginErrors, 'not_found'],
        detail: doc(
          'createPromotion',
          'Promote a Release',
          'Creates an Apply that deploys the active Release of one Environment to another Environment of the Project, with ' +
            'the configuration of the target. Missing configuration is listed by name.',
        ),
      },
    )
    .post(
      '/projects/:projectId/environments/:environmentId/rollback',
      (context) =>
        create(context, {
          status: 202,
          work: ({ caller, params, body, requestId, requestIdFrom }, record) =>
            targets.rollBack(caller, params, body, { requestId, requestIdFrom }, record),
        }),
      {
        permission: 'deployments:create',
        resource: 'apply',
        params: EnvironmentPath,
        body: omissible(NewRollback),
        headers: IdempotencyHeader,
        response: { 202: dataOf(Apply) },
        errors: [...beginErrors],
        detail: doc(
          'rollBack',
          'Roll back',
          'Creates an Apply that activates an earlier Deployment, one or more steps back. With `credentials: current` it ' +
            'deploys the same Release and configuration again with the current versions of the credentials.',
        ),
      },
    )
    .get(
      '/projects/:projectId/manifest',
      async ({ caller, params, query: { environment } }) => {
        const { projectId } = params
        const place = await findPlaceOf(parts.store, caller.organizationId, projectId, environment)
        if (!inScope(caller, { projectId, environmentId: place, agentId: caller.scope.agentId })) throw notFound()
        assertMayExport(caller, projectId)
        const manifest = await exportManifest(parts, caller, projectId, environment)
        return { data: manifest as unknown as Record<string, unknown> }
      },
      {
        permission: 'projects:get',
        params: ProjectPath,
        query: ExportQuery,
        response: { 200: dataOf(ManifestOfProject) },
        errors: ['too_large'],
        detail: doc(
          'getManifest',
          'Export a manifest',
          'Describes the active Deployment of the Environment by names. Values of variables are omitted ' +
            '(`secret: true`). Applying the exported manifest changes nothing; one of more than 4 MiB, which no Apply takes, ' +
            'is 422 `too_large`. Requires the permissions to list and read ' +
            'Definitions, Agents, variables, Connections, agent jobs and webhooks. Not for keys of an Agent.',
        ),
      },
    )
}

const filtersOf = ({ projectId, environmentId }: Static<typeof ListQuery>) => ({
  ...(projectId !== undefined && { projectId }),
  ...(environmentId !== undefined && { environmentId }),
})
