/** `worker`: serves operations with the functions of a file. */
import type { Command } from 'commander'
import { Troupe, type WorkerHandler } from '../../sdk/src/index.ts'
import { examples, type Running, speaks, wholeNumber, works } from '../command.ts'
import type { Context } from '../context.ts'
import { importModule } from '../modules.ts'
import { findPlace } from '../names.ts'
import { usageError } from '../terminal/exit-codes.ts'

interface WorkerFile {
  queue: string
  operations: Record<string, WorkerHandler>
}

/** The functions that the file exports. Throws `usage`. */
async function readWorker(path: string): Promise<WorkerFile> {
  const { queue, operations }: Partial<WorkerFile> = await importModule(path)
  if (typeof queue !== 'string' || queue === '') throw usageError(`${path} exports no queue: export const queue = '…'.`)
  const names = Object.entries(operations ?? {})
  if (names.length === 0 || names.some(([, handler]) => typeof handler !== 'function')) {
    throw usageError(`${path} exports no operations: export const operations = { 'orders.find': async (input) => … }.`)
  }
  return { queue, operations: operations as WorkerFile['operations'] }
}

async function work(context: Context, { on, slots }: { on: string; slots?: number }, path: string) {
  const { queue, operations } = await readWorker(path)
  const { project, environment } = await findPlace(context.client(), on)
  const { url, key } = context.access
  // Ctrl-C does not abort the reports of calls in progress
  const troupe = new Troupe({ baseUrl: url, apiKey: key })
  const worker = troupe.worker({
    projectId: project.id,
    environmentId: environment.id,
    queue,
    operations,
    ...(slots !== undefined && { slots }),
    // this command handles signals itself
    stopsBySignal: false,
    onError: (error) => context.output.warn((error as Error).message),
  })
  const value = { workerId: worker.workerId, queue, operations: Object.keys(operations) }
  context.output.item(
    value,
    () => `Serving the queue ${queue} of ${on}: ${value.operations.join(', ')}. Ctrl-C stops it.`,
  )
  context.signal.addEventListener('abort', () => void worker.stop(), { once: true })
  await worker.done
  context.output.note('The worker has stopped; all calls in progress were answered.')
}

export function addWorker(program: Command, running: Running): void {
  speaks(program.command('worker'))
    .summary('execute operations with your own functions')
    .description(
      'Executes operations whose handler is a worker, with the functions that a file exports: `queue`, and `operations` by `<definition>.<operation>`. On Ctrl-C it finishes the calls in progress. Its key needs workers:serve, projects:list and projects:get.',
    )
    .argument('<file>', 'a module, such as worker.ts')
    .requiredOption('--on <place>', 'PROJECT/KIND')
    .option('--slots <number>', 'concurrent calls (default: 10)', wholeNumber(1, 100))
    .addHelpText('after', examples('troupe worker worker.ts --on shop/production'))
    .action(works<[string], { on: string; slots?: number }>(running, work))
}
