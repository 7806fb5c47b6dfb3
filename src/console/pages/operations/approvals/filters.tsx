/** Which approvals the table shows, kept in the address: those that wait, unless it says otherwise. */
import { oneOfThese, useAddressQuery } from '../../../address-query.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Choice, Choices } from '../../../ui/forms/choice.tsx'
import { MomentChoice } from '../../../ui/forms/moment-choice.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { instantOf } from '../../../ui/instants.ts'
import { useIds } from '../../../use-place.ts'
import { useAgentNames } from '../../runs/list/names.tsx'
import { useDeployed } from '../deployed.ts'
import { approvalStatuses } from './approval.ts'

const any = 'any'
const names = ['status', 'operation', 'agent', 'since', 'until'] as const
const none = { status: '', operation: '', agent: '', since: '', until: '' }

export function useApprovalQuery() {
  const { values, change, isNarrowed } = useAddressQuery(...names)
  const { operation, agent } = values
  // query strings are untrusted
  const status = values.status === any ? undefined : (oneOfThese(approvalStatuses, values.status) ?? 'pending')
  const since = instantOf(values.since)
  const until = instantOf(values.until)
  return {
    query: {
      ...(status && { status }),
      ...(operation && { operation }),
      ...(agent && { agentId: agent }),
      ...(since && { since }),
      ...(until && { until }),
    },
    change,
    isNarrowed: isNarrowed(...names),
    clear: () => change(none),
    showAll: () => change({ ...none, status: any }),
  }
}

export type ApprovalNarrowing = ReturnType<typeof useApprovalQuery>

export function ApprovalFilters({ query, change, isNarrowed, clear }: ApprovalNarrowing) {
  const { projectId } = useIds('projectId')
  const agents = useAgentNames(projectId)
  const deployed = [...(useDeployed().value?.operations ?? [])].filter(([, { approval }]) => approval === 'always')
  const operations = new Set([...deployed.map(([name]) => name), ...(query.operation ? [query.operation] : [])])
  return (
    <Choices>
      <Choice
        label="Status"
        value={query.status ?? any}
        onChange={(status) => change({ status: status === 'pending' ? '' : status })}
      >
        <Options of={[...approvalStatuses]} />
        <option value={any}>any</option>
      </Choice>
      <Choice label="Operation" value={query.operation ?? ''} onChange={(operation) => change({ operation })}>
        <option value="">Any</option>
        <Options of={[...operations].sort()} />
      </Choice>
      <Choice label="Agent" value={query.agentId ?? ''} onChange={(agent) => change({ agent })}>
        <option value="">Any</option>
        <Options of={[...agents]} />
        {query.agentId && !agents.has(query.agentId) && <option value={query.agentId}>{query.agentId}</option>}
      </Choice>
      <MomentChoice label="From" value={query.since} onChange={(since) => change({ since })} />
      <MomentChoice label="Before" value={query.until} onChange={(until) => change({ until })} />
      {isNarrowed && (
        <Button tone="quiet" icon="close" onClick={clear}>
          Clear filters
        </Button>
      )}
    </Choices>
  )
}
