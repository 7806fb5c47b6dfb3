/** Reference of a statechart: the meanings of its events, guards, deadlines and effects. */
import type { ReactNode } from 'react'
import type { Meanings as Words } from '../../charts/use-machine.ts'
import { Tag } from '../../ui/badge.tsx'
import { Section } from '../../ui/page.tsx'
import { delayText, sourceWords } from './meaning.ts'
import { Prose } from './prose.tsx'

export function Meanings({ words: { events, guards, deadlines, effects } }: { words: Words }) {
  return (
    <div className="stack">
      <Glossary title="Events">
        {events.map(({ event, by, says }) => (
          <Entry key={event} name={event} note={sourceWords[by]} says={says} />
        ))}
      </Glossary>
      <Glossary title="Guards">
        {guards.map(({ guard, holdsWhen }) => (
          <Entry key={guard} name={guard} says={holdsWhen} />
        ))}
      </Glossary>
      <Glossary title="Deadlines">
        {deadlines.map(({ event, limits, defaultMs, setting }) => (
          <Entry key={event} name={event} note={delayText(defaultMs)} says={limits} setting={setting} />
        ))}
      </Glossary>
      <Glossary title="Effects">
        {effects.map(({ effect, bringsAbout }) => (
          <Entry key={effect} name={effect} says={bringsAbout} />
        ))}
      </Glossary>
    </div>
  )
}

function Glossary({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null
  return (
    <Section title={title}>
      <dl className="moves">{children}</dl>
    </Section>
  )
}

interface EntryProps {
  name: string
  says: string
  note?: string
  setting?: string | null
}

const Entry = ({ name, note, says, setting }: EntryProps) => (
  <div className="meaning">
    <dt className="row">
      <code>{name}</code>
      {note && <Tag>{note}</Tag>}
    </dt>
    <dd>
      <Prose>{says}</Prose>
      {setting && (
        <>
          {' '}
          Set by <code>{setting}</code>.
        </>
      )}
    </dd>
  </div>
)
