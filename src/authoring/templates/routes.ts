/** The catalogue of templates over HTTP. Source: contract 2, "Template". */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { orNotFound } from '../../platform/http/answers/errors.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery, readPage } from '../../platform/http/pagination.ts'
import { dataOf, Id, oneOf, pageOf } from '../../platform/http/schema.ts'
import { AgentContent } from '../agents/content.ts'
import { GrantedOperations } from '../agents/schema.ts'
import { Word } from '../definitions/shapes.ts'
import { definitionKinds, Source } from '../definitions/source-schema.ts'
import { findTemplate, searchTemplates } from './catalogue.ts'
import type { Template as Entry } from './template.ts'

const named = { name: Type.String(), description: Type.String() }

const TemplateDelegate = Type.Union([
  Type.Object({ ...named, agent: Type.String({ description: 'The slug of another Agent of the template.' }) }),
  Type.Object({ ...named, external: Type.Literal(true) }),
])

const TemplateAgent = Type.Object(
  {
    slug: Type.String(),
    ...named,
    content: Type.Object(
      { ...AgentContent.properties, delegates: Type.Optional(Type.Array(TemplateDelegate)) },
      { description: 'As in a revision, but delegates of the template are named by slug.' },
    ),
    grantedOperations: GrantedOperations,
  },
  { $id: 'TemplateAgent', description: 'An Agent that a Project begins with.' },
)

const TemplateDefinition = Type.Object(
  {
    name: Word('Unique in the Project.', 'orders'),
    kind: oneOf(definitionKinds, { description: 'The content of its source.' }),
    description: Type.String(),
    source: Source,
  },
  { $id: 'TemplateDefinition', description: 'A Definition that a Project begins with.' },
)

const Template = Type.Object(
  {
    id: Id('tpl'),
    slug: Type.String({ examples: ['support-desk'] }),
    ...named,
    tags: Type.Array(Type.String()),
    agents: Type.Array(TemplateAgent, {
      description: 'The contents of a Project created from it, each as revision 1.',
    }),
    definitions: Type.Array(TemplateDefinition, { description: 'The Definitions that come with them, the same way.' }),
  },
  { $id: 'Template', description: 'Ready-made Agents and Definitions to start a Project from.' },
)

// the catalogue is immutable, so its entries are shown as they are
const present = (template: Entry) => template as unknown as Static<typeof Template>

const TemplatePath = Type.Object({ templateId: Id('tpl', 'The template.') })
const SearchQuery = Type.Object({
  ...pageQuery.properties,
  query: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words that name, description or tags hold, in any order and case.' }),
  ),
})

function find({ params }: Pick<Naming<typeof TemplatePath>, 'params'>) {
  return orNotFound(findTemplate(params.templateId))
}

export function templateRoutes({ guarded, cursors }: { guarded: Guarded; cursors: Cursors }) {
  return new Elysia({ name: 'templates', prefix: '/api/v1/templates', tags: ['Templates'] })
    .use(guarded)
    .get(
      '',
      ({ caller, query: { query = '', ...request } }) => {
        const scope = { list: 'templates', organizationId: caller.organizationId, filters: { query } }
        const read = async (after: unknown[] | undefined, limit: number) => {
          const slug = (after?.[0] as string | undefined) ?? ''
          return searchTemplates(query)
            .filter((template) => template.slug > slug)
            .slice(0, limit)
        }
        return readPage({ cursors, scope }, request, read, ({ slug }) => [slug], present)
      },
      {
        permission: 'templates:search',
        query: SearchQuery,
        response: { 200: pageOf(Template) },
        detail: doc(
          'searchTemplates',
          'Search templates',
          'Searches the built-in catalogue, ordered by slug. Without a query, returns all templates.',
        ),
      },
    )
    .get('/:templateId', ({ params }) => ({ data: present(find({ params })) }), {
      permission: 'templates:read',
      params: TemplatePath,
      find,
      response: { 200: dataOf(Template) },
      detail: doc('getTemplate', 'Get a template', 'By the id that `createProject` accepts as `templateId`.'),
    })
}
