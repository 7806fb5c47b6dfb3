/** The routes of Projects. Source: requirement 4.9; contract 2. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQueryBySlug } from '../../platform/http/pagination.ts'
import { ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { searchIn } from '../../platform/http/searched-page.ts'
import { type CreationParts, createProject } from './creation.ts'
import { Project, ProjectChanges, ProjectCreation } from './schema.ts'
import { type ProjectParts, Projects } from './service.ts'

export function projectRoutes({ guarded, ...parts }: ProjectParts & CreationParts & { guarded: Guarded }) {
  const projects = new Projects(parts)
  return new Elysia({ name: 'projects', prefix: '/api/v1/projects', tags: ['Projects'] })
    .use(guarded)
    .get('', ({ caller, query }) => projects.list(caller, query), {
      permission: 'projects:list',
      query: Type.Object({ ...pageQueryBySlug.properties, search: searchIn('name or slug') }),
      response: { 200: pageOf(Project) },
      detail: doc('listProjects', 'List Projects', "The Projects within the credential's scope, newest first."),
    })
    .post('', async ({ caller, body, record }) => ({ data: await createProject(parts, caller, body, record) }), {
      permission: 'projects:create',
      organizationWide: true,
      resource: 'project',
      body: ProjectCreation,
      response: { 201: dataOf(Project) },
      errors: ['not_found', ['slug_taken', 409], 'deletion_in_progress', 'limit_exceeded'],
      detail: doc(
        'createProject',
        'Create a Project',
        'Creates its three Environments, in `provisioning` with an empty configuration, and the Agents of the ' +
          'template, if one is given, in one transaction.',
      ),
    })
    .get('/:projectId', async ({ caller, params }) => ({ data: await projects.get(caller, params.projectId) }), {
      permission: 'projects:get',
      params: ProjectPath,
      response: { 200: dataOf(Project) },
      detail: doc('getProject', 'Get a Project'),
    })
    .patch(
      '/:projectId',
      async ({ caller, params, body, record }) => ({
        data: await projects.change(caller, params.projectId, body, record),
      }),
      {
        permission: 'projects:update',
        resource: 'project',
        params: ProjectPath,
        body: ProjectChanges,
        response: { 200: dataOf(Project) },
        errors: [['slug_taken', 422]],
        detail: doc('updateProject', 'Update a Project', 'Changes its name, its slug, or whether it admits new work.'),
      },
    )
}
