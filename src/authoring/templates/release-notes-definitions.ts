/** The repository look-ups of the release notes writer: GitHub's API. */
import { reading } from './operations.ts'
import type { TemplateDefinition } from './template.ts'

const repository = 'repository'
const headers = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
const page = { type: 'integer', minimum: 1, maximum: 50, description: 'Left out: the first one.' }

export const releaseNotesDefinitions: readonly TemplateDefinition[] = [
  {
    name: 'repository',
    kind: 'operations',
    description:
      'Reads tags, commits, issues and pull requests, over the Connection that is bound as `repository`. For GitHub its base URL is https://api.github.com/repos/OWNER/NAME; private repositories take `auth: bearer` and a token.',
    source: {
      operations: [
        reading(
          {
            name: 'tags',
            description: 'Lists the tags with the commits that they are at, 20 at a time.',
            takes: { page },
            required: [],
          },
          { connection: repository, path: '/tags', query: { per_page: '20', page: '{{input.page}}' }, headers },
        ),
        reading(
          {
            name: 'commits',
            description: 'Lists commits of a branch or tag, newest first, 20 at a time.',
            takes: {
              of: { type: 'string', minLength: 1, maxLength: 255, description: 'A branch, a tag or a commit.' },
              since: { type: 'string', format: 'date-time', description: 'Only later ones.' },
              until: { type: 'string', format: 'date-time', description: 'Only earlier ones.' },
              page,
            },
            required: ['of'],
          },
          {
            connection: repository,
            path: '/commits',
            query: {
              sha: '{{input.of}}',
              since: '{{input.since}}',
              until: '{{input.until}}',
              per_page: '20',
              page: '{{input.page}}',
            },
            headers,
          },
        ),
        reading(
          {
            name: 'change',
            description: 'Reads one issue or pull request by its number: title, text, labels, author.',
            takes: { number: { type: 'integer', minimum: 1, description: 'Without the #.' } },
          },
          { connection: repository, path: '/issues/{{input.number}}', headers },
        ),
      ],
    },
  },
]
