const words =
  'english arabic brazilian bulgarian czech danish dutch finnish french german greek hungarian indonesian italian japanese koreana latam norwegian polish portuguese romanian russian schinese spanish swedish tchinese thai turkish ukrainian vietnamese';

/** All the platform's language words. */
export const languages: readonly string[] = words.split(' ');

const firstLetter = 'A'.charCodeAt(0);
const lettersOfEach = 64;
const lettersFrom = 0x400;

/**
 * An English phrase as one language writes it: in letters of its own, of two or three bytes, so that
 * texts differ per language and stay the same from run to run. Digits and markup stay as they are.
 */
export function say(language: string, phrase: string): string {
  if (language === 'english') return phrase;
  const alphabet = lettersFrom + lettersOfEach * languages.indexOf(language) - firstLetter;
  return phrase.replace(/<[^>]*>|[A-Za-z]/g, (match) =>
    match.startsWith('<') ? match : String.fromCodePoint(alphabet + match.charCodeAt(0)),
  );
}
