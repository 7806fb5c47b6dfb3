/** The query parameters of the consent flow. Source: requirement 4.2; contract 4, "OAuth". */
import { type Static, Type } from '@sinclair/typebox'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { PresetKey } from '../presets/preset.ts'

export const PresetPath = Type.Object({ presetKey: PresetKey })

export const StartQuery = Type.Object({
  ...EnvironmentPath.properties,
  returnTo: Type.Optional(
    Type.String({
      description:
        'Where the browser goes in the end: a path of the console, or a URL with its origin, of at most 2,048 bytes.',
      examples: ['/connections'],
    }),
  ),
})
export type StartQuery = Static<typeof StartQuery>

/** Every outcome is a redirect, also of a parameter that is repeated or has U+0000. */
const Given = (description: string) => Type.Optional(Type.String({ emptyIfFaulty: true, description }))

export const CallbackQuery = Type.Object({
  code: Given('What the tokens are for.'),
  state: Given('As it was sent along.'),
  error: Given('Why there is no code.'),
  error_description: Given('What the provider says about that; it is not read.'),
  iss: Given('The issuer (RFC 9207); compared with that of the preset.'),
})
