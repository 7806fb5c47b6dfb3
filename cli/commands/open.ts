/** `open`: the console in the browser, at a resource. */
import type { Command } from 'commander'
import type { Troupe } from '../../sdk/src/index.ts'
import { examples, type Running, speaks, works } from '../command.ts'
import type { Context } from '../context.ts'
import { findPlace, findProject } from '../names.ts'
import { openPage } from '../terminal/browser.ts'
import { usageError } from '../terminal/exit-codes.ts'

const idForm = /^([a-z]{3})_[0-9a-z]+$/

interface Found {
  projectId: string | null
  environmentId: string | null
  parent: string | null
}

/** Pages of the console by the prefix of the id, below the address of the nearest of organization, Project, Environment. */
const pages: Record<string, (id: string, found: Found) => string> = {
  prj: () => '',
  env: () => '',
  agt: (id) => `agents/${id}`,
  def: (id) => `definitions/${id}`,
  rel: (id) => `releases/${id}`,
  dep: (id) => `deployments/${id}`,
  apl: (id) => `applies/${id}`,
  con: (id) => `configuration/connections/${id}`,
  wfr: (id) => `workflows/${id}`,
  apr: (id) => `approvals?approval=${id}`,
  whk: (id) => `webhooks/${id}`,
  ent: (id, { parent }) => `entities/${parent}/${id}`,
  key: (id) => `settings/keys/${id}`,
  crd: (id) => `settings/credentials/${id}`,
  alr: (id) => `alerts/${id}`,
}

/** The address of a resource in the console, without the server's. */
async function addressOf(troupe: Troupe, organization: string, what: string | undefined): Promise<string> {
  const root = `/o/${organization}`
  if (what === undefined) return root
  const [, prefix] = idForm.exec(what) ?? []
  // a run has the same address in every Project
  if (prefix === 'run') return `${root}/runs/${what}`
  if (prefix === undefined) {
    if (!what.includes('/')) return `${root}/p/${(await findProject(troupe, what)).id}`
    const { project, environment } = await findPlace(troupe, what)
    return `${root}/p/${project.id}/e/${environment.id}`
  }
  const page = pages[prefix]
  if (!page)
    throw usageError(`The console has no page for ${what}: there are pages for run, ${Object.keys(pages).join(', ')}.`)
  const found = await troupe.organizations.findResource({ resourceId: what })
  const place = [found.projectId && `p/${found.projectId}`, found.environmentId && `e/${found.environmentId}`]
  return [root, ...place, page(what, found)].filter(Boolean).join('/')
}

async function open(context: Context, what: string | undefined): Promise<void> {
  const { url } = context.access
  const troupe = context.client()
  const [organization] = (await troupe.organizations.list()).items
  if (!organization) throw usageError('The key reaches no organization.')
  const address = url + (await addressOf(troupe, organization.slug, what))
  context.output.result({ url: address }, () => address)
  if (!context.output.json) openPage(address)
}

export function addOpen(program: Command, running: Running): void {
  speaks(program.command('open'))
    .summary('open the console in the browser')
    .description(
      'Opens the console in your browser, at a Project, an Environment, a run or another resource, and prints the address. With --json it only prints.',
    )
    .argument('[what]', 'PROJECT, PROJECT/KIND, or an id such as run_…, apr_…, dep_… (default: the overview)')
    .addHelpText(
      'after',
      examples('troupe open', 'troupe open shop/production', 'troupe open run_01h455vb4pex5vsknk084sn02q'),
    )
    .action(works<[string | undefined], object>(running, (context, _, what) => open(context, what)))
}
