/** The routes that delete organizations and Projects. Source: requirement 4.5, 4.9; contract 2. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { OrganizationPath, ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader } from '../../platform/http/schema.ts'
import { Organization } from '../organizations/schema.ts'
import { Project } from '../projects/schema.ts'
import { thenGone } from './progress.ts'
import { type DeletionParts, Deletions } from './requests.ts'

export function deletionRoutes({ guarded, ...parts }: DeletionParts & { guarded: Guarded }) {
  const deletions = new Deletions(parts)
  return new Elysia({ name: 'deletions', prefix: '/api/v1' })
    .use(guarded)
    .delete(
      '/organizations/:organizationIdOrSlug',
      ({ caller, request, set, requestId, record }) =>
        deletions.organization({ request, set, requestId, record }, caller),
      {
        permission: 'organizations:delete',
        resource: 'organization',
        whileDeleting: true,
        params: OrganizationPath,
        headers: IdempotencyHeader,
        response: { 202: dataOf(Organization) },
        errors: [
          'invalid_idempotency_key',
          ['idempotency_key_reused', 422],
          'idempotency_in_progress',
          'personal_organization',
          'billing_active',
          'deletion_in_progress',
        ],
        detail: doc(
          'deleteOrganization',
          'Delete an organization',
          'Only a team whose paid contract has ended can be deleted. Cancels its runs; when they have ended, everything that the ' +
            `organization owns is removed, including its API keys and its audit log. ${thenGone}`,
          { tags: ['Organizations'] },
        ),
      },
    )
    .delete(
      '/projects/:projectId',
      ({ caller, params, record }) => deletions.project(caller, params.projectId, record),
      {
        permission: 'projects:delete',
        resource: 'project',
        params: ProjectPath,
        response: { 202: dataOf(Project) },
        errors: ['deletion_in_progress'],
        detail: doc(
          'deleteProject',
          'Delete a Project',
          `Cancels its runs; when they have ended, the Project is removed with everything in it. ${thenGone}`,
          { tags: ['Projects'] },
        ),
      },
    )
}
