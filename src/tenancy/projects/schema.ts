/** The schemas of Projects. Source: requirement 2; contract 2. */
import { type Static, Type } from '@sinclair/typebox'
import type { ProjectRow } from '../../../storage/tables.ts'
import { Id, Name, nullable, oneOf, Slug, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { DeletionProgress } from '../deletions/progress.ts'

export const Project = Type.Object(
  {
    id: Id('prj'),
    organizationId: Id('org'),
    slug: Type.String({ description: 'Unique in the organization.', examples: ['support-desk'] }),
    name: Type.String({ examples: ['Support desk'] }),
    templateId: nullable(Type.String({ description: 'The template that it was created from: tpl_…' })),
    status: oneOf(['active', 'paused', 'deleting'], {
      description: 'A paused Project admits no new work; a `deleting` one cannot be changed.',
    }),
    deletion: Type.Optional(DeletionProgress),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'Project', description: 'A set of Agents with three Environments.' },
)
export type PresentedProject = Static<typeof Project>

export const presentProject = (row: ProjectRow): PresentedProject => ({
  id: row.id,
  organizationId: row.organization_id,
  slug: row.slug,
  name: row.name,
  templateId: row.template_id,
  status: row.status,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})

const slug = Slug('Unique in the organization')

export const ProjectCreation = Type.Object(
  {
    slug,
    name: Name(),
    templateId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The template whose Agents and Definitions are copied: tpl_…',
      }),
    ),
  },
  { $id: 'NewProject', description: 'A Project, from a template or empty.' },
)
export type ProjectCreation = typeof ProjectCreation.static

export const ProjectChanges = Type.Object(
  {
    name: Type.Optional(Name()),
    slug: Type.Optional(slug),
    status: Type.Optional(oneOf(['active', 'paused'])),
  },
  { $id: 'ProjectChanges', description: 'The fields to change.' },
)
export type ProjectChanges = typeof ProjectChanges.static
