/** Compares two runs side by side: facts, question, answer, and steps. */
import { Link, useSearchParams } from 'wouter'
import { at, organizationOf, runAt } from '../../../places.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Page, Section } from '../../../ui/page.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { Diff } from '../../../ui/text/diff.tsx'
import { usePlace } from '../../../use-place.ts'
import { ComparedFacts } from './compared-facts.tsx'
import { ComparedSteps } from './compared-steps.tsx'
import { OtherRun } from './other-run.tsx'
import { type Side, useSide } from './use-side.ts'
import './compare.css'

const runForm = /^run_[0-9a-z]{26}$/

export default function ComparePage() {
  const place = usePlace()
  const [params, setParams] = useSearchParams()
  const idIn = (name: string) => {
    const id = params.get(name)
    return id && runForm.test(id) ? id : null
  }
  const [leftId, rightId] = [idIn('left'), idIn('right')]
  const left = useSide(leftId)
  const right = useSide(rightId)
  const choose = (ids: { left: string | null; right: string | null }) =>
    setParams(Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== null)) as Record<string, string>)
  return (
    <Page
      wide
      title="Compare runs"
      up={{ title: 'Runs', href: at(organizationOf(place), 'runs') }}
      about="Identical values are grey."
      actions={
        leftId &&
        rightId && (
          <Button icon="refresh" onClick={() => choose({ left: rightId, right: leftId })}>
            Swap
          </Button>
        )
      }
    >
      <div className="compare-heads">
        {[left, right].map((side, index) => (
          <Head
            // biome-ignore lint/suspicious/noArrayIndexKey: there are two, left and right
            key={index}
            side={side}
            title={index === 0 ? 'First run' : 'Second run'}
            other={index === 0 ? right : left}
            onChoose={(id) => choose(index === 0 ? { left: id, right: rightId } : { left: leftId, right: id })}
          />
        ))}
      </div>
      {left.run && right.run && <Compared left={left} right={right} />}
    </Page>
  )
}

interface HeadProps {
  side: Side
  other: Side
  title: string
  onChoose: (runId: string | null) => void
}

function Head({ side, other, title, onChoose }: HeadProps) {
  const place = usePlace()
  if (side.failure) {
    return (
      <section className="surface compare-head" aria-label={title}>
        <Failed failure={side.failure} />
        <Button onClick={() => onChoose(null)}>Choose another</Button>
      </section>
    )
  }
  if (side.runId === null) {
    return (
      <section className="surface compare-head" aria-label={title}>
        <OtherRun title={title} like={other.run} onChoose={onChoose} />
      </section>
    )
  }
  if (!side.run) return <Loading rows={2} />
  return (
    <section className="surface compare-head" aria-label={title}>
      <Link href={runAt(place, side.runId)} className="compare-title ellipsis" title={side.question}>
        {side.question || side.runId}
      </Link>
      <span className="row">
        <StateBadge state={side.run.state} />
        <code className="faint">…{side.runId.slice(-6)}</code>
        <Button small tone="quiet" onClick={() => onChoose(null)}>
          Change
        </Button>
      </span>
    </section>
  )
}

const Compared = ({ left, right }: { left: Side; right: Side }) => (
  <>
    <ComparedFacts left={left} right={right} />
    <Section title="Question">
      <Diff label="difference of the questions" before={left.question} after={right.question} />
    </Section>
    <Section title="Answer">
      <Diff label="difference of the answers" before={left.answer} after={right.answer} />
    </Section>
    <Section title="Steps">
      <ComparedSteps left={left} right={right} />
    </Section>
  </>
)
