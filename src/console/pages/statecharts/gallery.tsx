/** All statecharts: a card with a drawing for each kind. */
import { Link } from 'wouter'
import { Sketch } from '../../charts/drawing/sketch.tsx'
import { useMachine } from '../../charts/use-machine.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, organizationOf } from '../../places.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { usePlace } from '../../use-place.ts'
import { firstSentence, Prose } from './prose.tsx'
import './gallery.css'

export default function StatechartsPage() {
  const api = useApi()
  const machines = useResource(['machines'], (options) => api.v1.machines.get(options))
  return (
    <Page
      title="Statecharts"
      about="Every resource with a lifecycle follows one of these statecharts. A transition that they do not contain cannot happen."
    >
      <Shown resource={machines}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="chart" title="No statecharts">
              This server has no statecharts.
            </Empty>
          ) : (
            <ul className="gallery" aria-label="Statecharts">
              {items.map(({ kind, title, version, about }) => (
                <li key={kind}>
                  <MachineCard kind={kind} title={title} version={version} about={about} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Page>
  )
}

interface MachineCardProps {
  kind: string
  title: string
  version: string
  about: string
}

function MachineCard({ kind, title, version, about }: MachineCardProps) {
  const place = organizationOf(usePlace())
  const { value, model } = useMachine(kind)
  return (
    <Link href={at(place, 'statecharts', kind)} className="gallery-card">
      <span className="gallery-drawing">
        <Sketch model={model} />
      </span>
      <span className="gallery-title">
        <strong>{title}</strong>
      </span>
      <span className="gallery-about">
        <Prose>{firstSentence(about)}</Prose>
      </span>
      <span className="gallery-facts">
        <code>{kind}</code> · version {version}
        <br />
        {value ? `${value.states.length} states · ${value.transitions.length} transitions` : '…'}
      </span>
    </Link>
  )
}
