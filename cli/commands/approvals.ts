/** `approvals`: operations that wait for a person's decision. */
import { type Command, Option } from 'commander'
import type { ApprovalRequest, OperationApproval, Troupe } from '../../sdk/src/index.ts'
import { examples, type Running, speaks, wholeNumber, works } from '../command.ts'
import type { Context } from '../context.ts'
import { findPlace } from '../names.ts'
import { CommandError, usageError } from '../terminal/exit-codes.ts'
import { cut, facts, oneLine, styled, table, time } from '../terminal/text.ts'

type Status = OperationApproval['status']
type Target = NonNullable<ApprovalRequest['target']>

interface ListOptions {
  status: Status | 'all'
  limit: number
}

interface OneOptions {
  on?: string
}

interface DecisionOptions extends OneOptions {
  note?: string
}

const statuses = ['pending', 'approved', 'rejected', 'expired', 'canceled', 'all'] as const
const inputLengthMax = 60
const idForm = /^apr_[0-9a-z]+$/

/** The path of an approval: its Environment is that of `--on`, or the server finds it by the id. */
async function pathOf(troupe: Troupe, id: string, { on }: OneOptions) {
  if (!idForm.test(id)) {
    throw usageError(`${JSON.stringify(id)} is not the id of an approval (apr_…): troupe approvals list shows them.`)
  }
  if (on !== undefined) {
    const { project, environment } = await findPlace(troupe, on)
    return { projectId: project.id, environmentId: environment.id, approvalId: id }
  }
  const { projectId, environmentId } = await troupe.organizations.findResource({ resourceId: id })
  if (!projectId || !environmentId) throw new CommandError('missing', 'not_found', `There is no approval ${id}.`)
  return { projectId, environmentId, approvalId: id }
}

async function list(context: Context, { status, limit }: ListOptions, on: string): Promise<void> {
  const troupe = context.client()
  const { project, environment } = await findPlace(troupe, on)
  const place = { projectId: project.id, environmentId: environment.id }
  const approvals: OperationApproval[] = []
  const filter = status === 'all' ? {} : { status }
  for await (const approval of troupe.operations.listApprovals({ ...place, ...filter, limit: Math.min(limit, 100) })) {
    approvals.push(approval)
    if (approvals.length === limit) break
  }
  context.output.result(approvals, () =>
    approvals.length === 0
      ? `No ${status === 'all' ? '' : `${status} `}approvals in ${on}.`
      : table(
          ['approval', 'status', 'operation', 'expires', 'input'],
          approvals.map(({ id, status, operation, expiresAt, input }) => [
            id,
            status,
            operation,
            time(expiresAt),
            cut(oneLine(JSON.stringify(input) ?? ''), inputLengthMax),
          ]),
        ),
  )
}

/** What approving sets off. */
function actionOf(target: Target): string {
  switch (target.type) {
    case 'http':
      return `${target.method} ${target.url}${target.body === null ? '' : `\n${target.body}`}`
    case 'mcp':
      return `the tool ${target.tool} of ${target.url}`
    case 'agent':
      return `a run of the Agent ${target.agent}: ${target.query}`
    case 'entity':
      return `${target.action} of the entity ${target.entity}`
    case 'worker':
      return `a call of a worker of the queue ${target.queue}`
    case 'echo':
      return 'nothing: the operation returns its input'
  }
}

async function show(context: Context, options: OneOptions, id: string): Promise<void> {
  const troupe = context.client()
  const path = await pathOf(troupe, id, options)
  const approval = await troupe.operations.getApproval(path)
  // a decided approval sends nothing any more
  const request = approval.status === 'pending' ? await troupe.operations.getApprovalRequest(path) : null
  const caller = approval.agentRunId ?? approval.workflowRunId
  context.output.result({ ...approval, request }, () =>
    facts([
      ['approval', approval.id],
      ['status', styled(approval.status === 'pending' ? 'yellow' : 'dim', approval.status)],
      ['operation', approval.operation],
      ['input', JSON.stringify(approval.input, null, 2) ?? ''],
      ...(request?.target ? [['sends', actionOf(request.target)] as const] : []),
      ...(request?.problem ? [['problem', `${request.problem.code}: ${request.problem.message}`] as const] : []),
      ...(caller ? [['for', caller] as const] : []),
      ['created', time(approval.createdAt)],
      approval.status === 'pending' ? ['expires', time(approval.expiresAt)] : ['decided', time(approval.decidedAt)],
      ...(approval.note ? [['note', approval.note] as const] : []),
    ]),
  )
}

/** The command that approves, or the one that rejects. */
const decide =
  (decision: 'approve' | 'reject') =>
  async (context: Context, { note, ...options }: DecisionOptions, id: string): Promise<void> => {
    const troupe = context.client()
    const path = await pathOf(troupe, id, options)
    const approval = await troupe.operations[decision]({ ...path, ...(note !== undefined && { note }) })
    context.output.result(approval, () => `${approval.id} (${approval.operation}) is ${approval.status}.`)
  }

const takesOne = (command: Command): Command =>
  command
    .argument('<approval>', 'apr_…')
    .option('--on <place>', 'its PROJECT/KIND, for keys that may decide but not list (default: found by the id)')

export function addApprovals(program: Command, running: Running): void {
  const approvals = program
    .command('approvals')
    .summary('list, approve and reject operations that wait for it')
    .description('Operations that wait for a decision.')
  speaks(approvals.command('list'))
    .description('Lists the approvals of an Environment, newest first.')
    .argument('<place>', 'PROJECT/KIND')
    .addOption(new Option('--status <status>', 'only those').choices(statuses).default('pending'))
    .option('--limit <number>', 'the most approvals', wholeNumber(1, 10_000), 20)
    .addHelpText(
      'after',
      examples('troupe approvals list shop/production', "troupe approvals list shop/production --json | jq '.[].id'"),
    )
    .action(works<[string], ListOptions>(running, list))
  takesOne(speaks(approvals.command('show')))
    .description('Shows an approval: the input of the operation, and the request that approving would send.')
    .action(works<[string], OneOptions>(running, show))
  takesOne(speaks(approvals.command('approve')))
    .description('Lets the operation be called. The first decision counts.')
    .option('--note <text>', 'the reason, for the record')
    .addHelpText('after', examples('troupe approvals approve apr_01h455vb4pex5vsknk084sn02q --note "Checked."'))
    .action(works<[string], DecisionOptions>(running, decide('approve')))
  takesOne(speaks(approvals.command('reject')))
    .description('Refuses the operation: it is never called, and its caller gets the note as the reason.')
    .option('--note <text>', 'the reason')
    .action(works<[string], DecisionOptions>(running, decide('reject')))
}
