/** One operation on the page: description, parameters, body, answers. */
import { curlOf } from './curl.ts'
import { type Answer, nameOf, type PageDocument, type Parameter, type Placed } from './document.ts'
import { kindOf, schemaText } from './schema.ts'
import { answerId, block, code, escaped, markdown } from './text.ts'

const parameterRow = ({ name, in: place, required, description = '', schema }: Parameter) =>
  `<tr><th scope="row">${code(name)}${required ? ' <small>required</small>' : ''}</th><td>${place}: ${kindOf(schema)} ${markdown(description)}</td></tr>`

const parametersText = (parameters: readonly Parameter[]) =>
  parameters.length > 0 ? `<h4>Parameters</h4><table>${parameters.map(parameterRow).join('')}</table>` : ''

function bodyText({ operation: { requestBody } }: Placed): string {
  if (!requestBody) return ''
  const kinds = Object.entries(requestBody.content).map(
    ([mediaType, { schema }]) => `<p>${code(mediaType)}</p>${schema ? schemaText(schema) : ''}`,
  )
  return `<h4>Body</h4>${markdown(requestBody.description ?? '')}${kinds.join('')}`
}

const isGood = (status: string) => status < '400'

function goodText(status: string, { description, content = {} }: Answer, id: string): string {
  const kinds = Object.entries(content).map(([mediaType, { schema, example }]) => {
    const shown = example === undefined ? '' : block(JSON.stringify(example, null, 2), `Example of ${status}, ${id}`)
    const folded = shown && `<details><summary>Example</summary>${shown}</details>`
    return `<p>${code(mediaType)} ${schema ? kindOf(schema) : ''}</p>${folded}`
  })
  return `<tr><th scope="row">${escaped(status)}</th><td>${markdown(description)}${kinds.join('')}</td></tr>`
}

/** A shared error answer is described once and linked here. */
const badText = (status: string, { $ref, description }: Answer) =>
  $ref
    ? `<a href="#${answerId(nameOf($ref))}">${escaped(status)}</a>`
    : `<details><summary>${escaped(status)}</summary>${markdown(description)}</details>`

function answersText({ operation: { responses, operationId } }: Placed): string {
  const entries = Object.entries(responses)
  const good = entries
    .filter(([status]) => isGood(status))
    .map(([status, answer]) => goodText(status, answer, operationId))
  const bad = entries.filter(([status]) => !isGood(status))
  const own = bad.filter(([, { $ref }]) => !$ref).map(([status, answer]) => badText(status, answer))
  const shared = bad.filter(([, { $ref }]) => $ref).map(([status, answer]) => badText(status, answer))
  const others = shared.length > 0 ? `<p>As everywhere: ${shared.join(', ')}</p>` : ''
  return `<h4>Answers</h4>${good.length > 0 ? `<table>${good.join('')}</table>` : ''}${bad.length > 0 ? `<h4>Refusals</h4>${own.join('')}${others}` : ''}`
}

/** Renders the operations of a document. */
export function operationTexts({ components }: PageDocument) {
  const whole = (parameter: Parameter) =>
    parameter.$ref ? (components.parameters[nameOf(parameter.$ref)] as Parameter) : parameter

  return (placed: Placed): string => {
    const { method, path, operation } = placed
    const { operationId: id, summary = id, description = '' } = operation
    const parameters = (operation.parameters ?? []).map(whole)
    return `<section class="part" id="${escaped(id)}" aria-labelledby="${escaped(id)}-name">
<h3 id="${escaped(id)}-name"><a href="#${escaped(id)}">${escaped(summary)}</a></h3>
<p class="call"><b>${method}</b> ${code(path)}</p>
${markdown(description)}${block(curlOf(placed, parameters), `Command of ${id}`)}${parametersText(parameters)}${bodyText(placed)}
${answersText(placed)}
</section>`
  }
}

/** An error answer that operations share. */
export const sharedAnswer = (name: string, { description }: Answer): string =>
  `<section class="part" id="${answerId(name)}" aria-labelledby="${answerId(name)}-name">
<h3 id="${answerId(name)}-name">${escaped(name)}</h3>${markdown(description)}</section>`
