/** A failure in one sentence, with a link to billing if the plan's limit caused it. */
import { Link, useLocation } from 'wouter'
import type { ApiFailure } from '../api/failure.ts'
import { describeFailure } from '../data/describe-failure.ts'
import { at, organizationOf, placeIn } from '../places.ts'

export function FailureText({ failure }: { failure: ApiFailure }) {
  const [path] = useLocation()
  const place = placeIn(path)
  return (
    <span>
      {describeFailure(failure).text}
      {failure.isOfPlan && place && (
        <>
          {' '}
          <Link href={at(organizationOf(place), 'settings', 'billing')}>Usage and limits</Link>
        </>
      )}
    </span>
  )
}
