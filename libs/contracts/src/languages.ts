import { z } from 'zod';

/** The platform's language words and their BCP 47 tags. */
export const languageTags = {
  arabic: 'ar',
  brazilian: 'pt-BR',
  bulgarian: 'bg',
  czech: 'cs',
  danish: 'da',
  dutch: 'nl',
  english: 'en',
  finnish: 'fi',
  french: 'fr',
  german: 'de',
  greek: 'el',
  hungarian: 'hu',
  indonesian: 'id',
  italian: 'it',
  japanese: 'ja',
  koreana: 'ko',
  latam: 'es-419',
  norwegian: 'no',
  polish: 'pl',
  portuguese: 'pt',
  romanian: 'ro',
  russian: 'ru',
  schinese: 'zh-Hans',
  spanish: 'es',
  swedish: 'sv',
  tchinese: 'zh-Hant',
  thai: 'th',
  turkish: 'tr',
  ukrainian: 'uk',
  vietnamese: 'vi',
} as const;

export type Language = keyof typeof languageTags;
export const defaultLanguage: Language = 'english';
export const languages = Object.keys(languageTags) as Language[];
export const language = z.enum(languages as [Language, ...Language[]]);
