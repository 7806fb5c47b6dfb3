/** The request that an approval would send, as far as it can be shown. */
import type { ApprovalRequest, Target, Withheld } from '../../../../automation/approvals/request-schema.ts'
import { useResource } from '../../../data/resource.ts'
import { at, type Place } from '../../../places.ts'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { type ApprovalPlace, useApprovals } from './approval.ts'

export function RequestOf({ here, approvalId }: { here: ApprovalPlace; approvalId: string }) {
  const approvals = useApprovals(here)
  const request = useResource(['approvals', here.environmentId, 'request', approvalId], (options) =>
    approvals({ approvalId }).request.get(options),
  )
  return (
    <section className="stack approval-request" aria-label="Request">
      <h3>Request</h3>
      <Shown resource={request} rows={3}>
        {(request) => <Request here={here} request={request} />}
      </Shown>
    </section>
  )
}

function Request({ here, request }: { here: Place; request: ApprovalRequest }) {
  const { target, withheld, truncated, problem } = request
  return (
    <>
      {problem && (
        <div className="banner banner-warning">
          <Icon name="warning" />
          <span>It would fail now: {problem.message}</span>
        </div>
      )}
      {target && <TargetOf here={here} target={target} />}
      {truncated && <p className="faint">Long texts are cut here. They are sent whole.</p>}
      {withheld.length > 0 && (
        <ul className="approval-withheld" aria-label="Not shown">
          {withheld.map((each) => (
            <li key={each.name}>
              <code>{`{{${each.name}}}`}</code> {wordsOf(each)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const wordsOf = ({ kind, label }: Withheld): string =>
  ({
    variable: 'is a variable; its value is not shown.',
    runContext: 'comes from the context of the run, which is for operations alone.',
    connectionHeader: 'is set by the Connection.',
    credential: `is the secret of ${label === null ? 'the Connection' : label}, read when the request is sent.`,
  })[kind]

function TargetOf({ here, target }: { here: Place; target: Target }) {
  switch (target.type) {
    case 'http':
      return (
        <>
          <Over here={here} {...target} />
          <Code label="request" text={messageOf(target)} wrap />
        </>
      )
    case 'mcp':
      return (
        <>
          <Over here={here} {...target} />
          <p>
            The tool <code>{target.tool}</code> of the MCP server <code>{target.url}</code>, with the input as
            arguments.
          </p>
        </>
      )
    case 'agent':
      return (
        <>
          <p>
            A run of the Agent <code>{target.agent}</code>, which is asked:
          </p>
          <Code label="query" text={target.query} wrap />
        </>
      )
    case 'entity':
      return (
        <p>
          <code>{target.action}</code> of the entity <code>{target.entity}</code>, with the input.
        </p>
      )
    case 'worker':
      return (
        <p>
          A worker of the queue <code>{target.queue}</code> is given the input.
        </p>
      )
    default:
      return <p>Nothing is sent: the output is the input.</p>
  }
}

const Over = ({
  here,
  connection,
}: { here: Place } & Pick<Extract<Target, { type: 'http' | 'mcp' }>, 'connection'>) => (
  <p className="row">
    <span>Over the Connection {connection.name}</span>
    <LinkButton small tone="quiet" href={at(here, 'configuration', 'connections', connection.id)}>
      Open
    </LinkButton>
  </p>
)

/** As it goes over the wire; JSON is indented. */
function messageOf({ method, url, headers, body }: Extract<Target, { type: 'http' }>): string {
  const head = [`${method} ${url}`, ...headers.map(({ name, value }) => `${name}: ${value}`)].join('\n')
  return body === null ? head : `${head}\n\n${indented(body)}`
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
