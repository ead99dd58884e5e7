// speak_floats VOICE INPUT TEXT SEED NOISE_SCALE NOISE_W LENGTH_SCALE SPEAKER: what `voxport speak`
// makes of a text (INPUT: text, phonemes or ids), as 32-bit floats on standard output. The program
// itself writes 16 bits.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include <voxport/speak.h>

int main(int, char** arguments) {
  using voxport::SpeakOptions;
  try {
    SpeakOptions options;
    const std::map<std::string, SpeakOptions::Input> inputs = {
        {"text", SpeakOptions::kText},
        {"phonemes", SpeakOptions::kPhonemes},
        {"ids", SpeakOptions::kIds}};
    options.input = inputs.at(arguments[2]);
    options.seed = std::strtoull(arguments[4], nullptr, 10);
    options.noise_scale = std::atof(arguments[5]);
    options.noise_w = std::atof(arguments[6]);
    options.length_scale = std::atof(arguments[7]);
    options.speaker = arguments[8];
    voxport::VoiceOptions one;
    one.threads = 1;
    voxport::Voice voice(arguments[1], one);
    voxport::Stream stream = voice.speak(arguments[3], options);
    while (const auto piece = stream.next())
      std::fwrite(piece->samples.data(), sizeof(float), piece->samples.size(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
