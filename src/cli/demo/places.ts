export type Zone = 'north' | 'middle' | 'south';
export type People = 'hausa' | 'kanuri' | 'tiv' | 'yoruba' | 'igbo' | 'niger-delta';

/** A state with some of its local government areas, as officially spelled, and a point near its middle. */
export interface Place {
  readonly state: string;
  readonly zone: Zone;
  readonly people: People;
  readonly latitude: number;
  readonly longitude: number;
  readonly lgas: readonly string[];
}

function place(state: string, zone: Zone, people: People, latitude: number, longitude: number, lgas: string): Place {
  return { state, zone, people, latitude, longitude, lgas: lgas.split(', ') };
}

/** Nigeria's 36 states and the Federal Capital Territory. */
export const PLACES: readonly Place[] = [
  place(
    'Abia',
    'south',
    'igbo',
    5.45,
    7.52,
    'Aba North, Aba South, Arochukwu, Bende, Ikwuano, Isiala Ngwa North, Ohafia, Umuahia North, Umuahia South',
  ),
  place(
    'Adamawa',
    'north',
    'hausa',
    9.33,
    12.4,
    'Demsa, Fufore, Ganye, Girei, Gombi, Guyuk, Hong, Mubi North, Mubi South, Numan, Yola North, Yola South',
  ),
  place('Akwa Ibom', 'south', 'niger-delta', 4.95, 7.85, 'Abak, Eket, Essien Udim, Etinan, Ikot Abasi, Ikot Ekpene, Itu, Oron, Uyo'),
  place(
    'Anambra',
    'south',
    'igbo',
    6.22,
    6.94,
    'Aguata, Anambra East, Awka North, Awka South, Ihiala, Nnewi North, Nnewi South, Ogbaru, Oyi',
  ),
  place('Bauchi', 'north', 'hausa', 10.77, 9.99, 'Alkaleri, Bauchi, Dass, Gamawa, Ganjuwa, Katagum, Misau, Ningi, Tafawa Balewa, Toro'),
  place('Bayelsa', 'south', 'niger-delta', 4.77, 6.07, 'Brass, Ekeremor, Nembe, Ogbia, Sagbama, Southern Ijaw, Yenagoa'),
  place(
    'Benue',
    'middle',
    'tiv',
    7.34,
    8.74,
    'Ado, Agatu, Buruku, Gboko, Guma, Gwer East, Katsina-Ala, Kwande, Logo, Makurdi, Otukpo, Ukum, Vandeikya',
  ),
  place(
    'Borno',
    'north',
    'kanuri',
    11.88,
    13.15,
    'Askira/Uba, Bama, Biu, Chibok, Damboa, Gwoza, Hawul, Jere, Kaga, Konduga, Maiduguri, Monguno',
  ),
  place(
    'Cross River',
    'south',
    'niger-delta',
    5.87,
    8.6,
    'Abi, Akamkpa, Biase, Boki, Calabar Municipal, Calabar South, Ikom, Obubra, Ogoja, Yala',
  ),
  place(
    'Delta',
    'south',
    'niger-delta',
    5.7,
    5.93,
    'Aniocha North, Bomadi, Burutu, Ethiope East, Ika South, Isoko North, Ndokwa West, Oshimili South, Patani, Ughelli North',
  ),
  place('Ebonyi', 'south', 'igbo', 6.26, 8.01, 'Abakaliki, Afikpo North, Ebonyi, Ezza North, Ikwo, Ishielu, Ivo, Izzi, Ohaozara, Onicha'),
  place(
    'Edo',
    'south',
    'niger-delta',
    6.63,
    5.93,
    'Akoko-Edo, Egor, Esan Central, Esan West, Etsako West, Ikpoba Okha, Oredo, Orhionmwon, Ovia North-East, Uhunmwonde',
  ),
  place('Ekiti', 'south', 'yoruba', 7.72, 5.31, 'Ado Ekiti, Efon, Emure, Ijero, Ikere, Ikole, Irepodun/Ifelodun, Ise/Orun, Moba, Oye'),
  place('Enugu', 'south', 'igbo', 6.54, 7.41, 'Aninri, Awgu, Enugu East, Ezeagu, Igbo Etiti, Isi Uzo, Nkanu West, Nsukka, Udi, Uzo Uwani'),
  place('FCT', 'middle', 'hausa', 8.9, 7.2, 'Abaji, Bwari, Gwagwalada, Kuje, Kwali, Municipal Area Council'),
  place('Gombe', 'north', 'hausa', 10.36, 11.19, 'Akko, Balanga, Billiri, Dukku, Funakaye, Gombe, Kaltungo, Kwami, Nafada, Yamaltu/Deba'),
  place(
    'Imo',
    'south',
    'igbo',
    5.57,
    7.06,
    'Aboh Mbaise, Ahiazu Mbaise, Ehime Mbano, Ideato North, Ikeduru, Mbaitoli, Ngor Okpala, Oguta, Ohaji/Egbema, Owerri West',
  ),
  place('Jigawa', 'north', 'hausa', 12.23, 9.56, 'Auyo, Birnin Kudu, Dutse, Gumel, Gwaram, Hadejia, Jahun, Kafin Hausa, Kazaure, Ringim'),
  place(
    'Kaduna',
    'north',
    'hausa',
    10.38,
    7.71,
    'Birnin Gwari, Chikun, Giwa, Igabi, Ikara, Jema’a, Kachia, Kauru, Lere, Makarfi, Sabon Gari, Soba, Zangon Kataf, Zaria',
  ),
  place(
    'Kano',
    'north',
    'hausa',
    11.75,
    8.52,
    'Bebeji, Bichi, Bunkure, Dambatta, Dawakin Kudu, Garun Mallam, Gaya, Gwarzo, Kura, Rano, Tudun Wada, Wudil',
  ),
  place(
    'Katsina',
    'north',
    'hausa',
    12.38,
    7.63,
    'Bakori, Batagarawa, Daura, Dutsin Ma, Faskari, Funtua, Kankia, Katsina, Malumfashi, Mani',
  ),
  place('Kebbi', 'north', 'hausa', 11.49, 4.23, 'Argungu, Augie, Bagudo, Birnin Kebbi, Bunza, Jega, Ngaski, Suru, Yauri, Zuru'),
  place('Kogi', 'middle', 'yoruba', 7.73, 6.69, 'Adavi, Ankpa, Bassa, Dekina, Ibaji, Idah, Kabba/Bunu, Lokoja, Okene, Yagba West'),
  place('Kwara', 'middle', 'yoruba', 8.97, 4.39, 'Asa, Baruten, Edu, Ifelodun, Ilorin East, Irepodun, Kaiama, Moro, Offa, Patigi'),
  place('Lagos', 'south', 'yoruba', 6.53, 3.58, 'Alimosho, Badagry, Epe, Eti Osa, Ibeju-Lekki, Ifako-Ijaiye, Ikorodu, Ojo'),
  place('Nasarawa', 'middle', 'tiv', 8.5, 8.24, 'Akwanga, Awe, Doma, Karu, Keana, Keffi, Kokona, Lafia, Nasarawa Egon, Obi'),
  place(
    'Niger',
    'middle',
    'hausa',
    9.93,
    5.6,
    'Agaie, Bida, Bosso, Gbako, Katcha, Kontagora, Lapai, Lavun, Mokwa, Paikoro, Shiroro, Wushishi',
  ),
  place(
    'Ogun',
    'south',
    'yoruba',
    6.98,
    3.44,
    'Abeokuta North, Ado-Odo/Ota, Ewekoro, Ijebu North, Ijebu Ode, Ikenne, Imeko Afon, Obafemi Owode, Odeda, Yewa North',
  ),
  place(
    'Ondo',
    'south',
    'yoruba',
    6.91,
    5.15,
    'Akoko North-East, Akure North, Akure South, Idanre, Ifedore, Ile Oluji/Okeigbo, Irele, Odigbo, Okitipupa, Ondo West, Owo',
  ),
  place(
    'Osun',
    'south',
    'yoruba',
    7.56,
    4.52,
    'Aiyedade, Atakunmosa East, Ede North, Ife Central, Ife East, Ilesa West, Irewole, Iwo, Osogbo, Oriade',
  ),
  place(
    'Oyo',
    'middle',
    'yoruba',
    8.12,
    3.42,
    'Afijio, Akinyele, Atisbo, Egbeda, Ibarapa Central, Ido, Iseyin, Itesiwaju, Ogbomosho North, Oyo East, Saki West',
  ),
  place(
    'Plateau',
    'middle',
    'tiv',
    9.22,
    9.52,
    'Barkin Ladi, Bassa, Bokkos, Jos East, Jos South, Kanam, Langtang North, Mangu, Pankshin, Shendam',
  ),
  place(
    'Rivers',
    'south',
    'niger-delta',
    4.84,
    6.92,
    'Abua/Odual, Ahoada East, Andoni, Eleme, Emohua, Etche, Gokana, Ikwerre, Khana, Oyigbo',
  ),
  place('Sokoto', 'north', 'hausa', 13.05, 5.32, 'Binji, Bodinga, Gada, Goronyo, Gwadabawa, Illela, Kware, Rabah, Tambuwal, Wamako, Wurno'),
  place('Taraba', 'middle', 'tiv', 7.99, 10.77, 'Ardo Kola, Bali, Donga, Gashaka, Gassol, Jalingo, Karim Lamido, Sardauna, Takum, Wukari'),
  place('Yobe', 'north', 'kanuri', 12.29, 11.44, 'Bade, Bursari, Damaturu, Fika, Fune, Geidam, Gujba, Jakusko, Nguru, Potiskum'),
  place(
    'Zamfara',
    'north',
    'hausa',
    12.12,
    6.22,
    'Anka, Bakura, Bukkuyum, Bungudu, Gummi, Gusau, Kaura Namoda, Maradun, Talata Mafara, Tsafe',
  ),
];
