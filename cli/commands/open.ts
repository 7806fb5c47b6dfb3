/** `open`: the console in the browser, at a resource. */
import type { Command } from 'commander'
import type { Troupe } from '../../sdk/src/index.ts'
import { at, type Place, runAt } from '../../src/console/places.ts'
import { foundAt, knownAt, placelessWords } from '../../src/console/shell/palette/found-at.ts'
import { examples, type Running, speaks, works } from '../command.ts'
import type { Context } from '../context.ts'
import { findPlace, findProject } from '../names.ts'
import { openPage } from '../terminal/browser.ts'
import { usageError } from '../terminal/exit-codes.ts'

const idForm = /^[a-z]{3}_[0-9a-z_]+$/

/** The address of a resource in the console, without the server's. */
async function addressOf(troupe: Troupe, organization: string, what: string | undefined): Promise<string> {
  const root: Place = { organization }
  if (what === undefined) return at(root)
  if (!idForm.test(what)) {
    if (!what.includes('/')) return at({ organization, projectId: (await findProject(troupe, what)).id })
    const { project, environment } = await findPlace(troupe, what)
    return at({ organization, projectId: project.id, environmentId: environment.id })
  }
  const why = placelessWords(what)
  if (why !== undefined) throw usageError(`The console has no page for ${what}. ${why}`)
  // a run has the same address in every Project
  if (what.startsWith('run_')) return runAt(root, what)
  return knownAt(root, what)?.href ?? foundAt(root, await troupe.organizations.findResource({ resourceId: what }))
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
