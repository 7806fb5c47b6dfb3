/** The templates that come with this version of the server. Source: contract 2, "Template". */
import { incidentAssistant } from './incident-assistant.ts'
import { invoiceExtraction } from './invoice-extraction.ts'
import { meetingSummarizer } from './meeting-summarizer.ts'
import { releaseNotes } from './release-notes.ts'
import { researchTeam } from './research-team.ts'
import { supportDesk } from './support-desk.ts'
import type { Template } from './template.ts'
import { tutor } from './tutor.ts'

/** By slug, which is the order of the list. */
export const templates: readonly Template[] = [
  incidentAssistant,
  invoiceExtraction,
  meetingSummarizer,
  releaseNotes,
  researchTeam,
  supportDesk,
  tutor,
]

export const findTemplate = (id: string): Template | undefined => templates.find((template) => template.id === id)

/** The templates whose name, description, tags or slug contain every word of the text, in any case and order. */
export function searchTemplates(text: string): readonly Template[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return templates.filter(({ slug, name, description, tags }) => {
    const searched = [slug, name, description, ...tags].join('\n').toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}
