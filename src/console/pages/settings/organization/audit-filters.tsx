/** Filters of the audit log, kept in the address. */
import { auditOutcomes } from '../../../../tenancy/audit/outcomes.ts'
import { oneOfThese, useAddressQuery } from '../../../address-query.ts'
import { useMembers } from '../../../data/people.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Choice, ChoiceControl, Choices, StateOptions } from '../../../ui/forms/choice.tsx'
import { MomentChoice } from '../../../ui/forms/moment-choice.tsx'
import { instantOf } from '../../../ui/instants.ts'

const kinds = ['changes', 'runs'] as const
const none = { kind: '', actor: '', outcome: '', operation: '', target: '', since: '', until: '' }

export function useAuditQuery() {
  const { values, change, isNarrowed } = useAddressQuery(
    'kind',
    'actor',
    'outcome',
    'operation',
    'target',
    'since',
    'until',
  )
  // query strings are untrusted
  const kind = oneOfThese(kinds, values.kind)
  const outcome = oneOfThese(auditOutcomes, values.outcome)
  const since = instantOf(values.since)
  const until = instantOf(values.until)
  return {
    query: {
      ...(kind && { kind }),
      ...(outcome && { outcome }),
      ...(values.actor && { actorId: values.actor.slice(0, 200) }),
      ...(values.operation && { operation: values.operation.slice(0, 200) }),
      ...(values.target && { resourceId: values.target.slice(0, 200) }),
      ...(since && { since }),
      ...(until && { until }),
    },
    change,
    isNarrowed: isNarrowed('kind', 'actor', 'outcome', 'operation', 'target', 'since', 'until'),
    clear: () => change(none),
  }
}

export type AuditNarrowing = ReturnType<typeof useAuditQuery>

export function AuditFilters({ query, change, isNarrowed, clear }: AuditNarrowing) {
  const members = useMembers().value ?? []
  return (
    <Choices>
      <Choice label="Kind" value={query.kind ?? ''} onChange={(kind) => change({ kind })}>
        <option value="">Any</option>
        <option value="changes">Changes, without runs</option>
        <option value="runs">Runs</option>
      </Choice>
      <Choice label="Outcome" value={query.outcome ?? ''} onChange={(outcome) => change({ outcome })}>
        <StateOptions states={auditOutcomes} />
      </Choice>
      <Choice label="Actor" value={query.actorId ?? ''} onChange={(actor) => change({ actor })}>
        <option value="">Any</option>
        {members.map(({ userId, name }) => (
          <option key={userId} value={userId}>
            {name}
          </option>
        ))}
        {query.actorId && !members.some(({ userId }) => userId === query.actorId) && (
          <option value={query.actorId}>{query.actorId}</option>
        )}
      </Choice>
      <Text label="Operation" value={query.operation} onChange={(operation) => change({ operation })} />
      <Text label="Target ID" value={query.resourceId} onChange={(target) => change({ target })} />
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

interface TextProps {
  label: string
  value: string | undefined
  onChange: (text: string) => void
}

/** Applied on blur or Enter. */
const Text = ({ label, value = '', onChange }: TextProps) => (
  <ChoiceControl label={label}>
    {(id) => (
      <input
        key={value}
        id={id}
        type="text"
        maxLength={200}
        defaultValue={value}
        onBlur={({ target }) => target.value.trim() !== value && onChange(target.value.trim())}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && onChange(currentTarget.value.trim())}
      />
    )}
  </ChoiceControl>
)
