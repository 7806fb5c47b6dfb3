/** Filters of a webhook's deliveries, kept in the query string. */
import { deliveryStates } from '../../../../machines/delivery.ts'
import { recordedKinds } from '../../../events/kinds/kinds.ts'
import { oneOfThese, useAddressQuery } from '../../address-query.ts'
import { Button } from '../../ui/forms/button.tsx'
import { Choice, Choices, StateOptions } from '../../ui/forms/choice.tsx'
import { MomentChoice } from '../../ui/forms/moment-choice.tsx'
import { instantOf } from '../../ui/instants.ts'
import { familiesOf, useEventKinds } from './event-kinds.ts'

const none = { state: '', event: '', since: '', until: '' }

export function useDeliveryQuery() {
  const { values, change, isNarrowed } = useAddressQuery('state', 'event', 'since', 'until')
  const kinds = useEventKinds().value ?? []
  const state = oneOfThese(deliveryStates, values.state)
  const eventType = oneOfThese(recordedKinds, values.event)
  // query strings are untrusted
  const since = instantOf(values.since)
  const until = instantOf(values.until)
  return {
    query: {
      ...(state && { state }),
      ...(eventType && { eventType }),
      ...(since && { since }),
      ...(until && { until }),
    },
    kinds,
    change,
    isNarrowed: isNarrowed('state', 'event', 'since', 'until'),
    clear: () => change(none),
  }
}

type DeliveryNarrowing = ReturnType<typeof useDeliveryQuery>

export function DeliveryFilters({ query, kinds, change, isNarrowed, clear }: DeliveryNarrowing) {
  return (
    <Choices>
      <Choice label="State" value={query.state ?? ''} onChange={(state) => change({ state })}>
        <StateOptions states={deliveryStates} />
      </Choice>
      <Choice label="Event" value={query.eventType ?? ''} onChange={(event) => change({ event })}>
        <option value="">Any</option>
        {familiesOf(kinds).map(({ name, title, kinds }) => (
          <optgroup key={name} label={title}>
            {kinds.map(({ kind }) => (
              <option key={kind}>{kind}</option>
            ))}
          </optgroup>
        ))}
      </Choice>
      <MomentChoice label="Created from" value={query.since} onChange={(since) => change({ since })} />
      <MomentChoice label="Created before" value={query.until} onChange={(until) => change({ until })} />
      {isNarrowed && (
        <Button tone="quiet" icon="close" onClick={clear}>
          Clear filters
        </Button>
      )}
    </Choices>
  )
}
